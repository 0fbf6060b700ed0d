/** Fetch takes no addresses with user and password: these become a header (RFC 7617). */
export function withoutLogin(url: string): { address: string; login: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, login: {} };
  address.username = '';
  address.password = '';
  const pair = Buffer.from(`${unescaped(username)}:${unescaped(password)}`, 'utf8').toString('base64');
  return { address: address.href, login: { Authorization: `Basic ${pair}` } };
}

/** Returns the decoded text. What is not percent-encoding stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
