import { createOutgoingFetch } from '@certloop/server';
import { createHttpSender, type SendHttp } from '../../src/channels/http-sender.client.js';

export interface TestSender {
  readonly send: SendHttp;
  close(): Promise<void>;
}

/** The real sender, which may call this machine and does not wait between tries. */
export function openSender(): TestSender {
  const { fetch, close } = createOutgoingFetch({ allowPrivate: true });
  const send = createHttpSender({
    fetch,
    retryDelaysMs: [0, 0],
    timeoutMs: 5000,
    userAgent: 'certloop-test',
  });
  return { send, close };
}
