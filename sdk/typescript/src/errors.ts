// Errors of a call. Every one is a PanjiError.

/** The base of all errors of this package. */
export class PanjiError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No response arrived: the address, the network or the service is at fault. Nothing is known about the call. */
export class PanjiConnectionError extends PanjiError {}

/** No response arrived in time. Repeat the call with the same idempotency key, and it is charged once. */
export class PanjiTimeoutError extends PanjiConnectionError {}

/** The response is not from Panji: the address may be that of another service, or of a proxy. */
export class UnexpectedResponseError extends PanjiError {}

export interface ErrorDetails {
  status: number;
  code: string;
  requestId: string;
  param: string | null;
  docsUrl: string | null;
  creditsRemaining: number | null;
  retryAfter: number | null;
}

/**
 * The service refused or failed the call. It cost nothing.
 *
 * The class depends on the code: a CompanyNotFoundError is a NotFoundError is an APIError.
 */
export class APIError extends PanjiError {
  /** The HTTP status. */
  readonly status: number;
  /** The stable word for the error. */
  readonly code: string;
  /** Name it when you ask the operator about the call. */
  readonly requestId: string;
  /** The parameter, header or field at fault, such as `items[3].value`. */
  readonly param: string | null;
  readonly docsUrl: string | null;
  /** The balance; null if the key is unknown. */
  readonly creditsRemaining: number | null;
  /** The seconds to wait before the next try, if the service says so. */
  readonly retryAfter: number | null;

  constructor(message: string, details: ErrorDetails) {
    super(`${message} (${details.code}, ${details.requestId})`);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.param = details.param;
    this.docsUrl = details.docsUrl;
    this.creditsRemaining = details.creditsRemaining;
    this.retryAfter = details.retryAfter;
  }
}

/** HTTP 400, 405, 413, 415 or 422: the request must be corrected. */
export class InvalidRequestError extends APIError {}

/** HTTP 401: the key is missing, unknown, revoked or expired. */
export class AuthenticationError extends APIError {}

/** HTTP 402: the balance, the key's cap or `maxCredits` does not cover the call. */
export class CreditsError extends APIError {}

/** HTTP 403: the key may not do this from here. */
export class PermissionDeniedError extends APIError {}

/** HTTP 404: not in this register. */
export class NotFoundError extends APIError {}

/** HTTP 409. */
export class ConflictError extends APIError {}

/** HTTP 429: too many requests, also after the retries. */
export class RateLimitError extends APIError {}

/** HTTP 5xx, also after the retries. */
export class ServerError extends APIError {}

/** The class of an error whose code this version does not know. */
export function classOfStatus(status: number): typeof APIError {
  switch (status) {
    case 401:
      return AuthenticationError;
    case 402:
      return CreditsError;
    case 403:
      return PermissionDeniedError;
    case 404:
    case 410:
      return NotFoundError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return status >= 500 ? ServerError : InvalidRequestError;
  }
}
