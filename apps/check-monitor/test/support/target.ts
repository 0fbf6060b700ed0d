import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { SendHttp } from '../../src/integrations/delivery/http-sender.client.js';
import { type Recorder, startRecorder } from './recorder.js';
import { openSender } from './sender.js';

/** A server that receives messages, empty before each test, and the real sender. */
export interface Target {
  readonly server: Recorder;
  readonly send: SendHttp;
  /** JSON of the request number `index`, the first one when absent. */
  json(index?: number): Record<string, unknown>;
  /** Answers every request with this status and JSON. */
  answerJson(status: number, document?: object): void;
}

/** Opens a target for the tests of this file. */
export function openTarget(): Target {
  const opened = {} as { server: Recorder; close: () => Promise<void> };
  const target = {
    json: (index = 0) => JSON.parse(opened.server.requests[index]?.body ?? '') as Record<string, unknown>,
    answerJson: (status: number, document: object = {}) =>
      opened.server.answer((response) => response.writeHead(status).end(JSON.stringify(document))),
  } as { -readonly [Part in keyof Target]: Target[Part] };
  beforeAll(async () => {
    const { send, close } = openSender();
    opened.server = await startRecorder();
    opened.close = close;
    target.server = opened.server;
    target.send = send;
  });
  afterEach(() => opened.server.reset());
  afterAll(async () => {
    await opened.close();
    await opened.server.close();
  });
  return target;
}
