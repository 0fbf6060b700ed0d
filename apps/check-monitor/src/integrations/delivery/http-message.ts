/** A request to a target. */
export interface HttpMessage {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as UTF-8, without a Content-Type of its own. */
  readonly body?: string;
}

/** Response of a target, for targets that say in the body what is wrong. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

type HeaderFields = Readonly<Record<string, string>>;

/** POST of a JSON document. */
export function jsonPost(url: string, document: object, headers: HeaderFields = {}): HttpMessage {
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(document),
  };
}

/** POST of a form (application/x-www-form-urlencoded). */
export function formPost(url: string, fields: Readonly<Record<string, string>>): HttpMessage {
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

/** Members of an answer that is a JSON object; empty when it is none. */
export function jsonAnswer({ body }: HttpAnswer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
