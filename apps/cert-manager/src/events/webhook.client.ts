import { createPlainFetch, tracedFetch } from '@certloop/server';
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
}

export interface WebhookClient {
  /** Sends one event; returns why the receiver did not take it, or undefined. Never throws. */
  send(message: {
    readonly id: string;
    readonly body: string;
    readonly sentAt: Date;
  }): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Why a webhook was not taken when the service stops. */
export const stopped = 'the service stops';

const timeoutMs = 10_000;
const answerBytes = 65_536;

export function createWebhookClient({ url, keys, stop }: WebhookClientOptions): WebhookClient {
  const plain = createPlainFetch({ answerBytes });
  const fetch = tracedFetch(plain.fetch, { isTrusted: true });
  return {
    send: async (message) => {
      const headers = {
        'content-type': 'application/cloudevents+json',
        ...signatureHeaders(keys, message),
      };
      try {
        const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
        const { status } = await fetch(url, { method: 'POST', headers, body: message.body, signal });
        // a redirect is not followed, as the signature is for this receiver
        return status >= 200 && status < 300 ? undefined : `the receiver answered ${status}`;
      } catch (error) {
        if (stop.aborted) return stopped;
        const isTimeout = error instanceof Error && error.name === 'TimeoutError';
        return isTimeout ? 'the receiver does not answer' : 'the receiver cannot be reached';
      }
    },
    close: () => plain.close(),
  };
}
