import { isIP } from 'node:net';

/** Headers of a request about the page that sent it. */
export interface PageRequest {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site (Fetch Metadata §2.4). */
  readonly fetchSite: string | undefined;
}

/**
 * Whether a page of another site sent a request that may change something. This includes a page whose own name was made
 * to lead here (DNS rebinding): the browser takes it for a page of this service. `ownName` is the name under which the
 * operator publishes the service. Clients other than browsers do not send Origin.
 */
export function isFromOtherSite(request: PageRequest, ownName: string | undefined): boolean {
  const { method, host, origin, fetchSite } = request;
  if (method === 'GET' || method === 'HEAD') return false;
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true;
  if (origin === undefined) return false;
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  if (page === undefined || page.host !== hostOf(page.protocol, host)) return true;
  return page.hostname !== ownName && !isLocalName(page.hostname);
}

/** The host of the request as a page of this scheme would write it, without a default port. */
function hostOf(scheme: string, host: string | undefined): string | undefined {
  const address = `${scheme}//${host}`;
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** An address, or a name that a stranger cannot register: of one label, or below a domain for local use (RFC 6761). */
function isLocalName(name: string): boolean {
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
  return !name.includes('.') || /\.(?:localhost|test|internal)$/.test(name);
}
