import { createOutgoingFetch } from '@certloop/server';
import { createHttpSender, type SendHttp } from '../../src/integrations/delivery/http-sender.client.js';

export interface TestSender {
  readonly send: SendHttp;
  close(): Promise<void>;
}

/** The real sender, which may call this machine. */
export function openSender(): TestSender {
  const { fetch, close } = createOutgoingFetch({ allowPrivate: true });
  const send = createHttpSender({
    fetch,
    timeoutMs: 60_000,
    userAgent: 'certloop-test',
    nowMs: () => Date.now(),
    stop: new AbortController().signal,
  });
  return { send, close };
}
