/**
 * The path within the console to go to after signing in: `next` if it is a path of the console, else `/`. Anything
 * with an origin of its own is refused, `//elsewhere` and `/\elsewhere` too: a link to the sign-in page must not lead
 * elsewhere.
 */
export function nextPage(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next)) return '/';
  const here = 'http://console.invalid';
  if (!URL.canParse(next, here)) return '/';
  const url = new URL(next, here);
  if (url.origin !== here) return '/';
  return /^\/(login|welcome)\/?$/.test(url.pathname) ? '/' : `${url.pathname}${url.search}${url.hash}`;
}
