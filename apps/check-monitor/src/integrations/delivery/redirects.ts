import type { HttpMessage } from './http-message.js';

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

/** What is not percent-encoding stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function redirectTarget({ status, headers }: Response, base: string): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  return URL.canParse(location, base) ? new URL(location, base) : undefined;
}

export function redirected(message: HttpMessage, target: URL, status: number): HttpMessage {
  const becomesGet = status === 303 || (status <= 302 && message.method === 'POST');
  const isSameOrigin = target.origin === new URL(message.url).origin;
  const { body, headers = {} } = message;
  return {
    method: becomesGet ? 'GET' : message.method,
    url: target.href,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => isSameOrigin || name.toLowerCase() === 'content-type'),
    ),
    ...(becomesGet || body === undefined ? {} : { body }),
  };
}
