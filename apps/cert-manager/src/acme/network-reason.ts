/** Members that an error of a request may have; structural, as errors of Node may come from another realm. */
interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

// Codes of the HTTP client, which people do not look up as they do those of the system.
const clientWords: ReadonlyMap<string, string> = new Map([
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'no complete answer in time'],
]);

/** Why a request failed, in few words: the innermost cause's code such as ECONNREFUSED, else its message. */
export function networkReason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'no answer';
  const { name, code, message, cause }: Failure = error;
  if (name === 'TimeoutError') return 'no answer in time';
  if (typeof cause === 'object' && cause !== null) return networkReason(cause);
  // codes of the system and of TLS are in capitals; others are this project's own
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return clientWords.get(code) ?? code;
  return typeof message === 'string' && message !== '' ? message : 'no answer';
}

// What OpenSSL calls a chain that ends at no root it knows.
const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);

/** Whether the reason is a TLS certificate that chains to no known root. */
export function isUntrusted(reason: string): boolean {
  return untrusted.has(reason);
}
