import { createOutgoingFetch } from '@certloop/server';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { IntegrationDeps } from '../../src/integrations/create-integration.channel.js';
import { createHttpSender, type SendHttp } from '../../src/integrations/delivery/http-sender.client.js';
import { integrationDeps } from './integration-deps.js';
import { type Recorder, startRecorder } from './recorder.js';

/** A server that receives messages, empty before each test, and the real sender. */
export interface Target {
  readonly server: Recorder;
  /** Dependencies of integrations that find every service at the server, and have an account there. */
  deps(): IntegrationDeps;
  /** JSON of the request number `index`, the first one when absent. */
  json(index?: number): Record<string, unknown>;
  /** Answers every request with this status and JSON. */
  answerJson(status: number, document?: object): void;
}

/** Opens a target for the tests of this file. */
export function openTarget(): Target {
  const opened = {} as TestSender & { server: Recorder };
  const target = {
    deps: () => integrationDeps(opened.server.url, opened.send),
    json: (index = 0) => JSON.parse(opened.server.requests[index]?.body ?? '') as Record<string, unknown>,
    answerJson: (status: number, document: object = {}) =>
      opened.server.answer((response) => response.writeHead(status).end(JSON.stringify(document))),
  } as { -readonly [Part in keyof Target]: Target[Part] };
  beforeAll(async () => {
    Object.assign(opened, openSender(), { server: await startRecorder() });
    target.server = opened.server;
  });
  afterEach(() => opened.server.reset());
  afterAll(async () => {
    await opened.close();
    await opened.server.close();
  });
  return target;
}

interface TestSender {
  readonly send: SendHttp;
  close(): Promise<void>;
}

/** The real sender, which may call this machine. */
function openSender(): TestSender {
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
