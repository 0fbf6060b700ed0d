import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import type { CallRequest, CallResponse } from './call-costs.js';
import { type BodyKind, type WorstBody, worstBodies } from './worst-bodies.js';

// The thread that sends what `measureCalls` measures.

const atOnce = 10;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const agentBeside = new Agent({ keepAlive: true, maxSockets: 1 });

const known = new Map<string, readonly WorstBody[]>();

function bodiesOf(kind: BodyKind, maxBytes: number): readonly WorstBody[] {
  if (maxBytes === 0) return [];
  const key = `${kind} ${maxBytes}`;
  const bodies = known.get(key) ?? worstBodies(kind, maxBytes);
  known.set(key, bodies);
  return bodies;
}

const maxBody: WorstBody = {
  name: 'the largest',
  contentType: 'application/json',
  bytes: Buffer.alloc(2_621_440, '[1.1,'),
};

async function statusOf(
  call: Pick<CallRequest, 'port' | 'method' | 'path' | 'headers'>,
  body: WorstBody | undefined,
): Promise<number> {
  const { port, method, path } = call;
  const headers = {
    ...(body && { 'Content-Type': body.contentType, 'Content-Length': String(body.bytes.length) }),
    ...call.headers,
  };
  const asked = request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers,
    agent: body ? agent : agentBeside,
  });
  try {
    asked.end(body?.bytes);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode ?? 0;
  } catch {
    // the service may have closed a connection that was idle for seconds
    if (body === undefined && asked.reusedSocket) return statusOf(call, body);
    // a service may close the connection of a body that it does not read
    return 0;
  }
}

function count(statuses: Record<number, number>, status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

async function run({
  port,
  beside,
  kind = 'json',
  maxBytes,
  bodies,
  ...call
}: CallRequest): Promise<CallResponse> {
  const response: CallResponse = { statuses: {}, besideStatuses: {} };
  const all = [...bodiesOf(kind, maxBytes), ...bodies, maxBody];
  const waiting = [...all];
  const send = async () => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      // what crossed threads is no Buffer any more
      const sent = { ...body, bytes: Buffer.from(body.bytes) };
      count(response.statuses, await statusOf({ ...call, port }, sent));
    }
  };
  const sending = Promise.all(Array.from({ length: atOnce }, send));
  let isDone = false;
  const asking = (async () => {
    do {
      for (const path of beside) {
        count(response.besideStatuses, await statusOf({ port, method: 'GET', path }, undefined));
      }
    } while (!isDone);
  })();
  await sending;
  isDone = true;
  await asking;
  return response;
}

parentPort?.on('message', async (request: CallRequest) => {
  parentPort?.postMessage(await run(request));
});
