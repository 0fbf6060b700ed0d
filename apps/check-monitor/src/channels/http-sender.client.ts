import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@certloop/contracts';
import { type DeliveryResult, delivered, undelivered } from './delivery-result.js';
import type { HttpAnswer, HttpMessage } from './http-message.js';

export interface SendOptions {
  /** Nothing is tried twice. */
  readonly isOnce?: boolean;
  /** Meaning of an answer that is no success; the usual one where it returns undefined. */
  readonly judge?: (answer: HttpAnswer) => DeliveryResult | undefined;
}

/** Sends a message and tells what became of it; never rejects. */
export type SendHttp = (message: HttpMessage, options?: SendOptions) => Promise<DeliveryResult>;

export interface HttpSenderDeps {
  /** Hands redirects back; rejects with UpstreamFailed where the target may not be called. */
  readonly fetch: typeof fetch;
  /** Milliseconds to wait before each further try: two of them make three tries. */
  readonly retryDelaysMs: readonly number[];
  readonly timeoutMs: number;
  readonly userAgent: string;
}

const successes: ReadonlySet<number> = new Set([200, 201, 202, 204]);
const mostRedirects = 3;
const longestWaitMs = 30_000;

/** Sender that tries again after a failure that may pass, and follows up to 3 redirects, each by `fetch` again. */
export function createHttpSender(deps: HttpSenderDeps): SendHttp {
  return async (message, options = {}) => {
    const delays = options.isOnce === true ? [] : deps.retryDelaysMs;
    for (let attempt = 0; ; attempt += 1) {
      const { result, isFinal, waitMs } = await attemptOnce(deps, message, options);
      const delay = delays[attempt];
      if (result.ok || isFinal || result.permanent || delay === undefined) return result;
      await pause(Math.min(Math.max(delay, waitMs), longestWaitMs));
    }
  };
}

interface Attempt {
  readonly result: DeliveryResult;
  /** Whether trying again is of no use. */
  readonly isFinal: boolean;
  /** Milliseconds that the target asks to be left alone. */
  readonly waitMs: number;
}

async function attemptOnce(
  deps: HttpSenderDeps,
  message: HttpMessage,
  { judge }: SendOptions,
): Promise<Attempt> {
  try {
    const response = await follow(deps, message);
    const { status } = response;
    const body = await response.text();
    if (successes.has(status)) return { result: delivered, isFinal: true, waitMs: 0 };
    const result = judge?.({ status, body }) ?? undelivered(`Received status code ${status}`);
    return {
      result,
      isFinal: result.ok || result.retryAfterMs !== undefined,
      waitMs: 1000 * Number(response.headers.get('retry-after') ?? 0) || 0,
    };
  } catch (error) {
    return { result: undelivered(sentenceOf(error)), isFinal: isRefusal(error), waitMs: 0 };
  }
}

/** RFC 9110 §15.4: what a redirect does to the method; what is meant for one server is not told to another. */
async function follow(deps: HttpSenderDeps, message: HttpMessage): Promise<Response> {
  const signal = AbortSignal.timeout(deps.timeoutMs);
  let next = message;
  for (let redirects = 0; ; redirects += 1) {
    const response = await call(deps, next, signal);
    const target = redirectTarget(response, next.url);
    if (target === undefined) return response;
    if (redirects === mostRedirects) throw new TooManyRedirects();
    next = redirected(next, target, response.status);
  }
}

class TooManyRedirects extends Error {}

function call(deps: HttpSenderDeps, { method, url, headers, body }: HttpMessage, signal: AbortSignal) {
  const { address, login } = withoutLogin(url);
  return deps.fetch(address, {
    method,
    redirect: 'manual',
    signal,
    headers: { 'User-Agent': deps.userAgent, ...login, ...headers },
    // bytes, as fetch would give a text a Content-Type
    body: body === undefined ? null : Buffer.from(body, 'utf8'),
  });
}

/** Fetch takes no addresses with user and password: these become a header (RFC 7617). */
function withoutLogin(url: string): { address: string; login: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, login: {} };
  address.username = '';
  address.password = '';
  const pair = Buffer.from(`${unescaped(username)}:${unescaped(password)}`, 'utf8').toString('base64');
  return { address: address.href, login: { Authorization: `Basic ${pair}` } };
}

/** What is no percent-encoding stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function redirectTarget({ status, headers }: Response, base: string): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  return URL.canParse(location, base) ? new URL(location, base) : undefined;
}

function redirected(message: HttpMessage, target: URL, status: number): HttpMessage {
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

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'target_refused';
}

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Could not resolve host',
  EAI_AGAIN: 'Could not resolve host',
  ERR_INVALID_URL: 'The address is not valid',
  UND_ERR_CONNECT_TIMEOUT: 'Connection timed out',
};

/** Never the address: it may carry a secret. */
function sentenceOf(error: unknown): string {
  if (isRefusal(error)) return 'Connections to this address are not allowed';
  if (error instanceof AppError) return `Connection failed: ${error.message}`;
  if (error instanceof TooManyRedirects) return 'Too many redirects';
  const { name, code, cause } = (error ?? {}) as ErrorFacts;
  if (name === 'TimeoutError') return 'Connection timed out';
  return sentences[cause?.code ?? code ?? ''] ?? 'Connection failed';
}

/** What is read of an error that fetch rejects with. */
interface ErrorFacts {
  readonly name?: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}
