import { AppError, abortAfter } from '@certloop/contracts';
import {
  type DeliveryResult,
  delivered,
  type FailedDelivery,
  failedTemporarily,
  stoppedDelivery,
  tooMany,
  undelivered,
} from './delivery-result.js';
import type { HttpAnswer, HttpMessage } from './http-message.js';
import { redirected, redirectTarget, withoutLogin } from './redirects.js';
import { boundedWaitMs, retryAfterMs } from './retry-after.js';

export interface SendOptions {
  /** Meaning of an answer that is not a success; the usual one where it returns undefined. */
  readonly judge?: (answer: HttpAnswer) => DeliveryResult | undefined;
}

/** Sends a message once and returns what happened to it; never rejects. */
export type SendHttp = (message: HttpMessage, options?: SendOptions) => Promise<DeliveryResult>;

export interface HttpSenderDeps {
  /** Hands redirects back; rejects with UpstreamFailed where the target may not be called. */
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly nowMs: () => number;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
}

const successes: ReadonlySet<number> = new Set([200, 201, 202, 204]);
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
const maxRedirects = 3;

/** Sender that follows up to 3 redirects, each by `fetch` again. */
export function createHttpSender(deps: HttpSenderDeps): SendHttp {
  return async (message, { judge } = {}) => {
    try {
      const response = await follow(deps, message);
      const body = await response.text();
      if (successes.has(response.status)) return delivered;
      const { status } = response;
      const result = judge?.({ status, body }) ?? undelivered(`Received status code ${status}`);
      return result.ok ? result : withRetryReason(result, response, deps.nowMs());
    } catch (error) {
      return deps.stop.aborted ? stoppedDelivery : failureOf(error);
    }
  };
}

/** 408, 425, 429 and 5xx are temporary, unless the judge of the answer knows better. */
function withRetryReason(
  result: FailedDelivery,
  { status, headers }: Response,
  nowMs: number,
): DeliveryResult {
  if (result.permanent || !(temporaryStatuses.has(status) || status >= 500)) return result;
  const waitMs =
    result.retryAfterMs === undefined
      ? retryAfterMs(headers.get('retry-after'), nowMs)
      : boundedWaitMs(result.retryAfterMs);
  if (status === 429 && waitMs !== undefined) return tooMany(result.error, waitMs);
  const failed = failedTemporarily(result.error, status === 429 ? 'limited' : 'failed');
  return waitMs === undefined ? failed : { ...failed, retryAfterMs: waitMs };
}

/** RFC 9110 §15.4: what a redirect does to the method; credentials of one server are not sent to another. */
async function follow(deps: HttpSenderDeps, message: HttpMessage): Promise<Response> {
  const signal = AbortSignal.any([abortAfter(deps.timeoutMs), deps.stop]);
  let next = message;
  for (let redirects = 0; ; redirects += 1) {
    const response = await call(deps, next, signal);
    const target = redirectTarget(response, next.url);
    if (target === undefined) return response;
    if (redirects === maxRedirects) throw new TooManyRedirects();
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

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'target_refused';
}

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Could not resolve host',
  EAI_AGAIN: 'Could not resolve host',
};

const timeouts: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** What a call that was not answered means. Never the whole address, which may carry a secret; a refusal names the host. */
function failureOf(error: unknown): FailedDelivery {
  if (isRefusal(error)) return undelivered((error as AppError).message);
  if (error instanceof TooManyRedirects) return undelivered('Too many redirects');
  // it was reached and has answered, so it may well have taken the message
  if (error instanceof AppError) return undelivered(`Connection failed: ${error.message}`);
  const { name, code: own, cause } = (error ?? {}) as ErrorFacts;
  const code = cause?.code ?? own ?? '';
  if (name === 'TimeoutError' || timeouts.has(code))
    return failedTemporarily('Connection timed out', 'timed-out');
  if (code === 'ERR_INVALID_URL') return undelivered('The address is not valid');
  return failedTemporarily(sentences[code] ?? 'Connection failed');
}

/** What is read of an error that fetch rejects with. */
interface ErrorFacts {
  readonly name?: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}
