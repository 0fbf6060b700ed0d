import { AppError, abortAfter } from '@certloop/contracts';
import { createPlainFetch, followingFetch, parseRetryAfter, tracedFetch } from '@certloop/server';
import { type Refusal, stoppedByService } from './webhook-refusal.js';
import { signatureHeaders } from './webhook-signature.js';

export interface WebhookSettings {
  /** Set by the operator, and so called wherever it leads. */
  readonly url: string;
  /** Keys of the secrets; more than one while one is replaced. */
  readonly keys: readonly Buffer[];
}

export interface WebhookClientOptions extends WebhookSettings {
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
  /** Milliseconds until a call counts as unanswered; 10 s when absent. */
  readonly timeoutMs?: number;
}

export interface WebhookClient {
  /** Sends one event; returns why the receiver did not take it, or undefined. Never throws. */
  send(message: {
    readonly id: string;
    readonly body: string;
    readonly sentAt: Date;
  }): Promise<Refusal | undefined>;
  close(): Promise<void>;
}

const answerBytes = 65_536;

export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { url, keys, stop, timeoutMs = 10_000 } = options;
  const plain = createPlainFetch({ answerBytes, isBodyNeeded: false });
  const traced = tracedFetch(plain.fetch, { isTrusted: true });
  // the signature is for this receiver
  const fetch = followingFetch(traced, { subject: 'the receiver', mayLeaveOrigin: false });
  return {
    send: async (message) => {
      const headers = {
        'content-type': 'application/cloudevents+json',
        ...signatureHeaders(keys, message),
      };
      try {
        const signal = AbortSignal.any([stop, abortAfter(timeoutMs)]);
        const answer = await fetch(url, { method: 'POST', headers, body: message.body, signal });
        const { status } = answer;
        if (status >= 200 && status < 300) return undefined;
        const retryAt = parseRetryAfter(answer.headers.get('retry-after') ?? undefined, message.sentAt);
        return {
          reason: `the receiver answered ${status}`,
          retryAt,
          isOverload: status === 429 || status === 503,
        };
      } catch (error) {
        if (stop.aborted) return stoppedByService;
        if (error instanceof AppError) return { reason: error.message };
        const isTimeout = error instanceof Error && error.name === 'TimeoutError';
        return { reason: isTimeout ? 'the receiver does not answer' : 'the receiver cannot be reached' };
      }
    },
    close: () => plain.close(),
  };
}
