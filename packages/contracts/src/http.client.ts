import type { z } from 'zod';
import type { BodyShape, Contract, Endpoint, ParamsOf, ReplyOf, UploadedFile } from './endpoint.js';
import { AppError, type ErrorKind, statusByKind, UpstreamFailed } from './errors.js';

export interface ClientOptions {
  /** Address that contract paths are appended to, such as `http://127.0.0.1:3002`. */
  readonly baseUrl: string;
  /** Sent with every request, such as Authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a request counts as unanswered, its body included. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

type None = Readonly<Record<never, never>>;
type QueryInput<E> = E extends { readonly query: infer Q extends z.ZodType } ? z.input<Q> : None;
type BodyInput<E> = E extends { readonly body: infer B extends BodyShape }
  ? B extends { readonly kind: 'multipart'; readonly fields: infer F extends z.ZodType }
    ? { readonly file: UploadedFile; readonly fields: z.input<F> }
    : B extends { readonly schema: infer S extends z.ZodType }
      ? z.input<S>
      : Uint8Array
  : undefined;

export interface CallInput<E> {
  readonly params?: ParamsOf<E>;
  readonly query?: QueryInput<E>;
  readonly body?: BodyInput<E>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One method per operation; each resolves to a success answer and rejects with an AppError otherwise. */
export type Client<C extends Contract> = {
  readonly [K in keyof C]: (input?: CallInput<C[K]>) => Promise<ReplyOf<C[K]>>;
};

/**
 * Typed client of a contract over fetch. A refusal rejects with an AppError of the kind that belongs to its
 * status and the server's own sentence; no answer at all, or one that is not what the contract says,
 * with UpstreamFailed (`upstream_timeout` after `timeoutMs`, 10 s by default).
 */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  const methods = Object.entries(contract).map(([name, shape]) => [
    name,
    (input: CallInput<Endpoint> = {}) => send(shape, input, options),
  ]);
  return Object.fromEntries(methods) as Client<C>;
}

async function send(shape: Endpoint, input: CallInput<Endpoint>, options: ClientOptions) {
  const { body, headers } = encodeBody(shape.body, input.body);
  const request = {
    method: shape.method,
    headers: { accept: 'application/json, */*', ...headers, ...options.headers, ...input.headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
    ...(body === undefined ? {} : { body }),
  } as const;
  try {
    const response = await (options.fetch ?? fetch)(addressOf(shape, input, options.baseUrl), request);
    return await readReply(shape, response);
  } catch (error) {
    throw error instanceof AppError ? error : unanswered(shape, error);
  }
}

function addressOf(shape: Endpoint, input: CallInput<Endpoint>, baseUrl: string): string {
  const params: Readonly<Record<string, unknown>> = { ...input.params };
  const path = shape.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...input.query })) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  const search = query.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
}

interface EncodedBody {
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

function encodeBody(shape: BodyShape | undefined, body: unknown): EncodedBody {
  if (shape === undefined || body === undefined) return {};
  if (shape.kind === 'multipart') {
    return { body: formOf(shape.file, body as { file: UploadedFile; fields: Record<string, string> }) };
  }
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

function formOf(
  part: string,
  { file, fields }: { file: UploadedFile; fields: Record<string, string> },
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(part, new Blob([new Uint8Array(file.bytes)], { type: file.contentType }), file.name);
  return form;
}

async function readReply(shape: Endpoint, response: Response) {
  const expected = shape.responses[response.status];
  if (expected === undefined) throw await refusalOf(shape, response);
  const headers = Object.fromEntries(response.headers);
  const status = response.status;
  switch (expected.kind) {
    case 'json':
      return { status, headers, body: await response.json() };
    case 'text':
      return { status, headers, body: await response.text() };
    case 'bytes':
      return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
    case 'empty':
      await response.arrayBuffer();
      return { status, headers, body: undefined };
  }
}

const kindByStatus: ReadonlyMap<number, ErrorKind> = new Map(
  Object.entries(statusByKind).map(([kind, status]): [number, ErrorKind] => [status, kind as ErrorKind]),
);

async function refusalOf(shape: Endpoint, response: Response): Promise<AppError> {
  const said = sentenceIn(await response.text());
  const message = said === '' ? `${shape.method} ${shape.path} was answered with ${response.status}` : said;
  const kind = kindByStatus.get(response.status);
  if (kind === undefined || response.status >= 500) return new UpstreamFailed(message);
  const retryAfter = response.headers.get('retry-after');
  return new AppError(kind, message, retryAfter === null ? {} : { headers: { 'Retry-After': retryAfter } });
}

/** The sentence of an error body in any of the three APIs' shapes: `message`, `error`, or plain text. */
function sentenceIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return text.slice(0, 500);
    const { detail, message, error } = body as Record<string, unknown>;
    return String(detail ?? message ?? error ?? '').slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}

function unanswered(shape: Endpoint, error: unknown): UpstreamFailed {
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
  return new UpstreamFailed(
    `${shape.method} ${shape.path}: ${timedOut ? 'no answer in time' : reasonOf(error)}`,
    {
      timedOut,
      cause: error,
    },
  );
}

/** What the network said: the innermost cause's code, such as ECONNREFUSED, else its message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
