import { AppError, abortAfter } from '@certloop/contracts';
import { type AddressFetch, followingFetch } from '@certloop/server';
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
import { boundedWaitMs, retryAfterMs } from './retry-after.js';

export interface SendOptions {
  /** Meaning of an answer that is not a success; the usual one where it returns undefined. */
  readonly judge?: (answer: HttpAnswer) => DeliveryResult | undefined;
}

/** Sends a message once and returns what happened to it; never rejects. */
export type SendHttp = (message: HttpMessage, options?: SendOptions) => Promise<DeliveryResult>;

export interface HttpSenderDeps {
  /** Hands redirects back; rejects with UpstreamFailed where the target may not be called. */
  readonly fetch: AddressFetch;
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Milliseconds since 1970, for a Retry-After that is a date. */
  readonly nowMs: () => number;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
}

const successes: ReadonlySet<number> = new Set([200, 201, 202, 204]);
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
// of a proxy whose service is being deployed
const passingStatuses: ReadonlySet<number> = new Set([401, 403, 404, 410, 422]);

/** Sender that follows redirects, each by `fetch` again. */
export function createHttpSender(deps: HttpSenderDeps): SendHttp {
  const follow = followingFetch(deps.fetch, { subject: 'The address', mayLeaveOrigin: true });
  return async (message, { judge } = {}) => {
    try {
      const response = await call(follow, deps, message);
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

/** 408, 425, 429 and 5xx are temporary, and some others may pass, unless the judge of the answer knows better. */
function withRetryReason(
  result: FailedDelivery,
  { status, headers }: Response,
  nowMs: number,
): DeliveryResult {
  if (result.permanent) return result;
  if (passingStatuses.has(status)) return failedTemporarily(result.error, 'rejected');
  if (!(temporaryStatuses.has(status) || status >= 500)) return result;
  const waitMs =
    result.retryAfterMs === undefined
      ? retryAfterMs(headers.get('retry-after'), nowMs)
      : boundedWaitMs(result.retryAfterMs);
  if (status === 429 && waitMs !== undefined) return tooMany(result.error, waitMs);
  const failed = failedTemporarily(result.error, status === 429 ? 'limited' : 'failed');
  return waitMs === undefined ? failed : { ...failed, retryAfterMs: waitMs };
}

function call(follow: AddressFetch, deps: HttpSenderDeps, message: HttpMessage): Promise<Response> {
  const { method, url, headers, body } = message;
  const { address, login } = withoutLogin(url);
  return follow(address, {
    method,
    signal: AbortSignal.any([abortAfter(deps.timeoutMs), deps.stop]),
    headers: { 'User-Agent': deps.userAgent, ...login, ...headers },
    // bytes, as fetch would give a text a Content-Type
    body: body === undefined ? null : Buffer.from(body, 'utf8'),
  });
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

/**
 * Returns the failure that a call without a response means. It never contains the whole address, which may carry a
 * secret; a refusal names the host.
 */
function failureOf(error: unknown): FailedDelivery {
  if (error instanceof AppError && error.code === 'redirect_refused')
    return failedTemporarily(error.message, 'rejected');
  if (error instanceof AppError) return undelivered(error.message);
  const { name, code: own, cause } = (error ?? {}) as ErrorFacts;
  const code = cause?.code ?? own ?? '';
  if (name === 'TimeoutError' || timeouts.has(code))
    return failedTemporarily('Connection timed out', 'timed-out');
  if (code === 'ERR_INVALID_URL') return undelivered('The address is not valid');
  return failedTemporarily(sentences[code] ?? 'Connection failed');
}

/** Members that are read of an error with which fetch rejects. */
interface ErrorFacts {
  readonly name?: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
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

/** Returns the decoded text. What is not percent-encoding stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
