/** A call and the part of its response that may send it elsewhere. */
interface Redirected {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly status: number;
  /** The Location header. */
  readonly location: string | null;
}

/** Whether a message may go to another origin than the address that was set. */
export interface RedirectTerms {
  readonly mayLeaveOrigin: boolean;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where a call goes next: `undefined` if the response is no redirect, an address, or the reason why it is not followed.
 * 301, 302, 307 and 308 keep method and body, as curl does with a given method. 303 (RFC 9110 §15.4.4) would drop the
 * message. From http to https of the same host, all headers go along; to another origin no credentials go, so a call
 * that has some ends there.
 */
export function redirectTarget(
  call: Redirected,
  { mayLeaveOrigin }: RedirectTerms,
): URL | { readonly refusal: string } | undefined {
  const { method, url, headers, status, location } = call;
  if (!redirects.has(status) || location === null) return undefined;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (target === undefined) return { refusal: 'answers with a redirect to something that is no address' };
  const dropsMessage = status === 303 && method !== 'GET' && method !== 'HEAD';
  const hasLogin = target.username !== '' || target.password !== '';
  const isFree = isSamePlace(url, target) || (mayLeaveOrigin && !hasCredentials(headers));
  if (dropsMessage || hasLogin || !isFree) return { refusal: redirectWords(url, target) };
  return target;
}

/** Returns what a response with a redirect means, without paths, which may be secrets. */
export function redirectWords(url: URL, target: URL): string {
  const isPath = target.origin === url.origin;
  const place = target.origin === 'null' ? target.protocol : target.origin;
  return `answers with a redirect to ${isPath ? `another path of ${place}` : place}: use that address`;
}

function isSamePlace(url: URL, target: URL): boolean {
  const isUpgrade = url.protocol === 'http:' && target.protocol === 'https:';
  return target.origin === url.origin || (isUpgrade && target.hostname === url.hostname);
}

// anything else that a user sets may be a key
const openHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'idempotency-key',
  'user-agent',
]);

function hasCredentials(headers: Headers): boolean {
  return [...headers.keys()].some((name) => !openHeaders.has(name));
}
