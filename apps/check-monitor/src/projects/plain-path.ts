// Below these no path has a name that needs percent-encoding.
const bases = /^\/(?:api\/v|ping\/)/;
const plainCharacters = /^[!"$&-;=@-~]*$/;
const schemeAndHost = /^https?:\/\/[^/?#]*\/?/i;

/**
 * `url` of a request without scheme and host, which proxies send (RFC 9112 §3.2.2), and with the percent-encoding
 * undone in its path where that leads to the management API or to pings: `%2D` is the same as a hyphen (RFC 3986 §2.3),
 * which the framework sees in parameters but not in the words of a path.
 */
export function plainUrl(url: string): string {
  const local = url.replace(schemeAndHost, '/');
  const end = local.includes('?') ? local.indexOf('?') : local.length;
  const path = local.slice(0, end);
  if (!path.includes('%')) return local;
  const plain = decoded(path);
  return bases.test(plain) && plainCharacters.test(plain) ? plain + local.slice(end) : local;
}

/** Nothing when there is no text of that encoding. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
