import type { z } from 'zod';
import type { BodyShape, Contract, Endpoint, Method, Schema } from '../endpoint.js';
import { AppError, type ErrorKind, type Fix, InvalidInput, statusByKind, UpstreamFailed } from '../errors.js';
import type { ReplyOf, UploadedFile } from '../handlers.js';
import { abortAfter } from './abort-after.js';

export interface ClientOptions {
  /** Address that contract paths are appended to, such as `http://127.0.0.1:3002`. */
  readonly baseUrl: string;
  /** Sent with every request, such as Authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a request counts as unanswered, its body included. */
  readonly timeoutMs?: number;
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
  /** Makes the AppError of an answer that is not a success, in the place of the usual one. */
  readonly refuse?: (response: Response) => Promise<AppError>;
}

type None = Readonly<Record<never, never>>;

/** A member that may be omitted when nothing in it is required. */
type Member<Name extends string, T> = None extends T
  ? { readonly [N in Name]?: T }
  : { readonly [N in Name]: T };

type ParamsInput<E> = E extends { readonly params: infer P extends Schema }
  ? { readonly params: z.input<P> }
  : { readonly params?: None };

type QueryInput<E> = E extends { readonly query: infer Q extends Schema }
  ? Member<'query', z.input<Q>>
  : { readonly query?: None };

type BodyInput<E> = E extends { readonly body: infer B extends BodyShape }
  ? B extends { readonly kind: 'multipart'; readonly fields: infer F extends Schema }
    ? { readonly body: { readonly file: UploadedFile; readonly fields: z.input<F> } }
    : B extends { readonly kind: 'json'; readonly schema: infer S extends Schema }
      ? B extends { readonly optional: true }
        ? { readonly body?: z.input<S> }
        : { readonly body: z.input<S> }
      : B extends { readonly schema: infer S extends Schema }
        ? { readonly body?: z.input<S> | Uint8Array }
        : { readonly body?: Uint8Array }
  : { readonly body?: undefined };

/** Input of a call: what the endpoint declares, further headers, and a signal that ends the call. */
export type CallInput<E> = ParamsInput<E> &
  QueryInput<E> &
  BodyInput<E> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

type CallArguments<E> = None extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

/** One method per operation; each resolves to a success answer and rejects with an AppError otherwise. */
export type Client<C extends Contract> = {
  readonly [K in keyof C]: (...input: CallArguments<C[K]>) => Promise<ReplyOf<C[K]>>;
};

/**
 * Typed client of a contract over fetch. A refusal rejects with an AppError of the kind that belongs to its
 * status and the server's own sentence; no answer at all, or one that is not what the contract says,
 * with UpstreamFailed (`upstream_timeout` after `timeoutMs`, 10 s by default). A call that its own signal ends rejects
 * with the reason of the signal.
 */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  const methods = Object.entries(contract).map(([name, shape]) => [
    name,
    (input: AnyInput = {}) => send(shape, input, options),
  ]);
  return Object.fromEntries(methods) as Client<C>;
}

/** The input of a call of any operation. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function send(shape: Endpoint, input: AnyInput, options: ClientOptions) {
  const { url, body, headers } = requestOf(shape, input, options.baseUrl);
  const timeout = abortAfter(options.timeoutMs ?? 10_000);
  const request = {
    method: shape.method,
    headers: { accept: 'application/json, */*', ...headers, ...options.headers, ...input.headers },
    redirect: 'manual',
    signal: input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]),
    ...(body === undefined ? {} : { body }),
  } as const;
  try {
    const response = await (options.fetch ?? fetch)(url, request);
    return await readReply(shape, response, options);
  } catch (error) {
    if (input.signal?.aborted === true) throw input.signal.reason;
    throw error instanceof AppError ? error : unanswered(shape, error);
  }
}

/** The request by which a client sends a call. Rejects a path parameter that would address another resource. */
export function requestOf(
  shape: Endpoint,
  input: AnyInput,
  baseUrl: string,
): EncodedBody & { readonly method: Method; readonly url: string } {
  const { body, headers } = encodeBody(shape.body, input.body);
  return {
    method: shape.method,
    url: addressOf(shape, input, baseUrl),
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  };
}

/** The path of an operation with its parameters filled in. */
export function pathOf({ path }: Endpoint, params: AnyInput['params']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, params?.[name]));
}

function addressOf(shape: Endpoint, input: AnyInput, baseUrl: string): string {
  const path = pathOf(shape, input.params);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  const search = query.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
}

/** A path parameter, encoded. One that a URL would swallow is refused: it would address another resource. */
function segment(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new InvalidInput(`${name} cannot be '${text}'`);
  return encodeURIComponent(text);
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

async function readReply(shape: Endpoint, response: Response, { refuse }: ClientOptions) {
  const expected = shape.responses[response.status];
  if (expected === undefined) throw await (refuse?.(response) ?? refusalOf(shape, response));
  const headers = Object.fromEntries(response.headers);
  const status = response.status;
  switch (expected.kind) {
    case 'json':
      return { status, headers, body: await response.json() };
    case 'text':
      return { status, headers, body: await response.text() };
    case 'bytes':
      return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
    case 'stream':
      return { status, headers, body: response.body ?? new Blob([]).stream() };
    case 'empty':
      await response.arrayBuffer();
      return { status, headers, body: undefined };
  }
}

const kindByStatus: ReadonlyMap<number, ErrorKind> = new Map(
  Object.entries(statusByKind).map(([kind, status]): [number, ErrorKind] => [status, kind as ErrorKind]),
);

async function refusalOf(shape: Endpoint, response: Response): Promise<AppError> {
  const text = await response.text();
  const said = sentenceIn(text);
  const message = said === '' ? `${shape.method} ${shape.path} was answered with ${response.status}` : said;
  const retryAfter = response.headers.get('retry-after');
  const fix = fixIn(text);
  const details = {
    ...(retryAfter !== null && { headers: { 'Retry-After': retryAfter } }),
    ...(fix !== undefined && { fix }),
  };
  const kind = kindByStatus.get(response.status);
  if (kind === undefined || response.status >= 500) return new UpstreamFailed(message, details);
  return new AppError(kind, message, details);
}

/** The sentence of an error body in any of the three APIs' shapes: problem document, `error`, or plain text. */
function sentenceIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return printable(text);
    const { detail, message, error } = body as Record<string, unknown>;
    return printable(String(detail ?? message ?? error ?? ''));
  } catch {
    return printable(text);
  }
}

/** Returns the fix of a problem document that has one. */
function fixIn(text: string): Fix | undefined {
  try {
    const { fix } = Object(JSON.parse(text)) as { readonly fix?: unknown };
    const { openssl, certreq, text: sentence } = Object(fix) as Record<string, unknown>;
    const lines = Object.entries({ openssl, certreq, text: sentence }).filter(
      (line): line is [string, string] => typeof line[1] === 'string',
    );
    return lines.length === 0 ? undefined : Object.fromEntries(lines);
  } catch {
    return undefined;
  }
}

/** At most 500 characters, without controls and marks of direction: it may end in a log or another's answer. */
function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, 500)
    .toWellFormed();
}

function unanswered(shape: Endpoint, error: unknown): UpstreamFailed {
  const timedOut = faultOf(error).name === 'TimeoutError';
  const reason = timedOut ? 'no answer in time' : reasonOf(error);
  return new UpstreamFailed(`${shape.method} ${shape.path}: ${reason}`, { timedOut, cause: error });
}

/**
 * Returns the reason that the network gave: the code of the innermost cause, such as ECONNREFUSED, else its message.
 */
function reasonOf(error: unknown): string {
  const { cause, code, message } = faultOf(error);
  if (cause !== undefined) return reasonOf(cause);
  if (code === 'UND_ERR_SOCKET') return 'the connection was closed';
  return typeof code === 'string' ? code : String(message ?? error);
}

// By its members and not its class: fetch may throw errors of another realm.
function faultOf(error: unknown): Readonly<Partial<Record<'name' | 'message' | 'code' | 'cause', unknown>>> {
  return typeof error === 'object' && error !== null ? error : {};
}
