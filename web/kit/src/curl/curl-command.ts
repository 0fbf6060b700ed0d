/** A request as a page would send it. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  /** JSON text, or the parts of a form: text, or the name of a file. */
  readonly body?: string | readonly FormPart[];
  /** How a program proves who it is: with an API token, or with the cookies of a sign-in. */
  readonly by: 'token' | 'cookies';
}

export interface FormPart {
  readonly name: string;
  readonly value: string;
  readonly isFile: boolean;
}

// names of members that hold secrets in the APIs of the services
const secretName = /password|secret|token|hmac|^key$|api_?key|private_?key/i;

/**
 * The command that sends a request, for POSIX shells. It contains no secret: `$TOKEN` or `$CSRF_TOKEN` stands for the one that
 * proves who calls, and a variable of the member's name for each other, also for the members of the body whose paths end with
 * one of `secrets`.
 */
export function curlCommand(
  { method, url, body, by }: WrittenRequest,
  secrets: readonly string[] = [],
): string {
  const isRead = method === 'GET';
  const words = [
    'curl',
    ...(method === impliedMethod(body) ? [] : [`-X ${method}`]),
    ...(by === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : ['-b cookies']),
    // the service accepts changes by cookie from its own pages only
    ...(by === 'cookies' && !isRead
      ? [`-H 'Origin: ${new URL(url).origin}'`, '-H "X-CSRF-Token: $CSRF_TOKEN"']
      : []),
    ...bodyWords(body, secrets),
    quoted(url),
  ];
  return words.join(' ');
}

function impliedMethod(body: WrittenRequest['body']): string {
  return body === undefined ? 'GET' : 'POST';
}

function bodyWords(body: WrittenRequest['body'], secrets: readonly string[]): string[] {
  if (body === undefined) return [];
  if (typeof body === 'string') {
    return [`-H 'Content-Type: application/json'`, `-d ${quoted(withoutSecrets(body, secrets))}`];
  }
  return body.map(({ name, value, isFile }) => `-F ${quoted(`${name}=${isFile ? '@' : ''}${value}`)}`);
}

// no text of a page contains it
const mark = '\u0000';

/** The JSON text with a marked variable in the place of each secret. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = (value: unknown, path: string): unknown => {
    const name = path.slice(path.lastIndexOf('.') + 1);
    const isSecret = secretName.test(name) || secrets.some((one) => `.${path}`.endsWith(`.${one}`));
    if (typeof value === 'string')
      return isSecret && value !== '' ? `${mark}${variableOf(name)}${mark}` : value;
    if (Array.isArray(value)) return value.map((one) => hidden(one, path));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([key, one]) => [
      key,
      hidden(one, isSecret ? path : `${path}.${key}`),
    ]);
    return Object.fromEntries(members);
  };
  // JSON writes the mark as an escape
  return JSON.stringify(hidden(JSON.parse(text), '')).replaceAll('\\u0000', mark);
}

function variableOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toUpperCase();
}

/** A word in single quotes, if it needs them; marked variables stand in double quotes between them. */
function quoted(text: string): string {
  if (/^[\w./:@=+,-]+$/.test(text)) return text;
  const parts = text.split(mark).map((part, place) => {
    if (place % 2 === 1) return `"$${part}"`;
    return `'${part.replaceAll("'", `'\\''`)}'`;
  });
  return parts.join('');
}
