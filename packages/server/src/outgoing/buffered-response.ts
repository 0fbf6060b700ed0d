// RFC 9110 §6.4.1, and the statuses that a Response refuses a body for
const bodyless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** Response with a body that exists already; without one where there are no octets, or the status has none. */
export function bufferedResponse(
  status: number,
  headers: Headers | [string, string][],
  octets: Uint8Array,
): Response {
  const hasBody = octets.length > 0 && !bodyless.has(status);
  return new Response(hasBody ? new Uint8Array(octets) : null, { status, headers });
}
