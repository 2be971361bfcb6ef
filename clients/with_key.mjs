// Forwards requests to the service with a key, for tools that cannot send one. Everything else is unchanged.
//   node with_key.mjs PORT ADDRESS KEY
import http from "node:http";

const [port, address, key] = process.argv.slice(2);
const { hostname, port: targetPort } = new URL(address);

http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const target = { hostname, port: targetPort, path: request.url, method: request.method, headers };
  const forwarded = http.request(target, (received) => {
    response.writeHead(received.statusCode, received.headers);
    received.pipe(response);
  });
  forwarded.on("error", () => response.destroy());
  request.pipe(forwarded);
}).listen(Number(port), "127.0.0.1");
