import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { excessMs } from '@certloop/contracts/testing';
import { watchStretches } from '@certloop/server/testing';
import { expect } from 'vitest';
import type { TestApp } from './app.js';

/** How long others may be held up, in calibrated milliseconds of the processor. */
const allowedMs = 50;

export interface Answer {
  readonly status: number;
  /** Octets and line breaks of the body. */
  readonly size: number;
  readonly lines: number;
  /** The body of an answer to a request that had one, else ''. */
  readonly text: string;
}

export interface Caller {
  readonly port: number;
  /** Sends a request as Ada. The body of an answer is counted and not stored, unless the request has one. */
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /**
   * The same, in whose work no other request was held up: no stretch of the main thread took longer than 50 calibrated
   * ms. Sent up to three times, if it was.
   */
  askBeside(method: string, path: string, body?: object): Promise<Answer>;
  /** The same, with the longest stretch in CPU milliseconds. */
  measure(method: string, path: string): Promise<Answer & { readonly maxMs: number | undefined }>;
  close(): void;
}

/** A caller of the application over a real connection, which measures how long its requests hold others up. */
export async function callBeside(app: TestApp): Promise<Caller> {
  const server = createServer(app.http).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...app.people.ada.auth,
      ...(sent !== undefined && { 'Content-Type': 'application/json' }),
    };
    // of its own: the server may have closed one that was not used for a while
    const asked = request({ port, path, method, headers, agent: false });
    asked.end(sent);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let [size, lines, text] = [0, 0, ''];
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
      if (sent !== undefined) text += part.toString('utf8');
    }
    return { status: answer.statusCode ?? 0, size, lines, text };
  };
  const measure = async (method: string, path: string, body?: object) => {
    const watch = watchStretches();
    const answer = await ask(method, path, body);
    const maxMs = await watch.stop();
    expect(answer.status).toBe(200);
    return { ...answer, maxMs };
  };
  return {
    port,
    ask,
    measure,
    askBeside: async (...asked) => {
      const answers: Answer[] = [];
      const excess = await excessMs(allowedMs, async () => {
        const { maxMs, ...answer } = await measure(...asked);
        answers.push(answer);
        return maxMs;
      });
      expect(excess).toBeUndefined();
      return answers[0] as Answer;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
