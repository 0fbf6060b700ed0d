// Below it no path has a name that needs percent-encoding.
const base = /^\/api\/v/;
const plainCharacters = /^[!"$&-;=@-~]*$/;

/**
 * `url` with the percent-encoding undone in its path where that leads to the management API: `%2D` is the same as a
 * hyphen (RFC 3986 §2.3), which the framework sees in parameters but not in the words of a path.
 */
export function plainUrl(url: string): string {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  const path = url.slice(0, end);
  if (!path.includes('%')) return url;
  const plain = decoded(path);
  return base.test(plain) && plainCharacters.test(plain) ? plain + url.slice(end) : url;
}

/** Nothing when there is no text of that encoding. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
