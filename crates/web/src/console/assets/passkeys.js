// Passkeys: asks the browser for a new one or for one to log in with, and sends the form with its response. The forms are
// hidden where browsers have none.
for (const form of document.querySelectorAll("[data-passkey]")) {
  const status = form.querySelector("[data-passkey-status]");
  const isNew = form.dataset.passkey === "new";
  const ascii = (text) => new TextEncoder().encode(text);
  const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const ask = (options) => isNew
    ? navigator.credentials.create({ publicKey: {
      challenge: ascii(options.challenge),
      rp: { id: options.party, name: "Panji" },
      user: { id: ascii(options.person), name: options.email, displayName: options.name },
      pubKeyCredParams: options.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: options.known.map((id) => ({ type: "public-key", id: bytesOf(id) })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
      timeout: options.timeout,
    } })
    : navigator.credentials.get({ publicKey: {
      challenge: ascii(options.challenge),
      rpId: options.party,
      userVerification: "required",
      timeout: options.timeout,
    } });
  const fieldsOf = ({ id, response }) => isNew
    ? {
      client_data: textOf(response.clientDataJSON),
      authenticator_data: textOf(response.getAuthenticatorData()),
      public_key: textOf(response.getPublicKey()),
    }
    : {
      id,
      person: new TextDecoder().decode(response.userHandle),
      client_data: textOf(response.clientDataJSON),
      authenticator_data: textOf(response.authenticatorData),
      signature: textOf(response.signature),
    };
  form.hidden = !window.PublicKeyCredential;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    status.textContent = "";
    try {
      const response = await fetch(form.dataset.start, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const options = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {};
      if (!response.ok) throw new Error(options.error ?? form.dataset.failed);
      const credential = await ask(options);
      for (const [name, value] of Object.entries(fieldsOf(credential))) form.elements[name].value = value;
      form.submit();
    } catch (error) {
      // The browser's own messages are for developers.
      status.textContent = error instanceof DOMException ? form.dataset.failed : error.message;
      button.disabled = false;
    }
  });
}
