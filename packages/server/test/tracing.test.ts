import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHttpApp, createLogger, inSpan, noteRoute, startTracing, tracedFetch } from '../src/index.js';

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code: number };
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A collector that keeps what it is sent. */
const received: { path: string | undefined; headers: IncomingHttpHeaders; batch: Batch }[] = [];
const collector = createServer(async (sent, answer) => {
  received.push({ path: sent.url, headers: sent.headers, batch: (await readJson(sent)) as Batch });
  answer.setHeader('Content-Type', 'application/json').end('{}');
});

/** A service that is called, and notes the headers that it gets. */
const called: (string | undefined)[] = [];
const neighbour = createServer((sent, answer) => {
  called.push(sent.headers['traceparent']?.toString());
  answer.statusCode = sent.url === '/broken' ? 500 : 200;
  answer.end('ok');
});

const lines: Record<string, unknown>[] = [];
const logger = createLogger({
  service: 'test',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});

const address = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const off = {
  otlpEndpoint: undefined,
  otlpHeaders: undefined,
  otelDisabled: false,
  otelServiceName: undefined,
};

function buildApp() {
  const app = createHttpApp({ logger });
  app.get('/things/:id', async (_request, response) => {
    noteRoute(response, '/things/{id}');
    await inSpan('job look', { 'certloop.things': 2 }, async () => {
      await tracedFetch(fetch, { isTrusted: true })(`${address(neighbour)}/key/secret`);
      await tracedFetch(fetch, { isTrusted: false })(`${address(neighbour)}/broken`, { method: 'POST' });
    });
    logger.info({}, 'things.looked');
    response.send('ok');
  });
  return app;
}

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceId = '0af7651916cd43dd8448eb211c80319c';

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  neighbour.listen(0, '127.0.0.1');
  await Promise.all([collector, neighbour].map((server) => server.listening || once(server, 'listening')));
});

afterAll(() => {
  collector.close();
  neighbour.close();
});

describe('without a collector', () => {
  test('traces nothing and sends no trace headers', async () => {
    const stop = await startTracing('test', off);
    await request(buildApp()).get('/things/7').set('traceparent', parent).expect(200);
    expect(called.splice(0)).toEqual([undefined, undefined]);
    expect(lines.splice(0).some((line) => 'trace_id' in line)).toBe(false);
    await stop();
  });

  test('traces nothing if traces are disabled, even with a collector', async () => {
    const stop = await startTracing('test', { ...off, otlpEndpoint: address(collector), otelDisabled: true });
    await request(buildApp()).get('/things/7').expect(200);
    await stop();
    expect(received).toEqual([]);
    called.splice(0);
    lines.splice(0);
  });
});

describe('with a collector', () => {
  let spans: SentSpan[];
  const named = (name: string) => spans.filter((span) => span.name === name);

  beforeAll(async () => {
    const config = { ...off, otlpEndpoint: address(collector), otlpHeaders: 'x-team=a%20b, x-key = 7' };
    const stop = await startTracing('test-service', config);
    const app = buildApp();
    await request(app).get('/things/7').set('traceparent', parent).expect(200);
    await request(app).get('/nothing').expect(404);
    await expect(
      inSpan('job broken', {}, async () => {
        throw new RangeError('with a secret in it');
      }),
    ).rejects.toThrow('secret');
    await stop();
    const batches = received.flatMap(({ batch }) => batch.resourceSpans);
    spans = batches.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);
  });

  test('a request is a span of its incoming trace, named by its path template', () => {
    const [span, ...others] = named('GET /things/{id}');
    expect(others).toEqual([]);
    expect(span).toMatchObject({ kind: 2, traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(span?.attributes).toEqual(
      expect.arrayContaining([
        { key: 'http.route', value: { stringValue: '/things/{id}' } },
        { key: 'http.response.status_code', value: { intValue: 200 } },
      ]),
    );
  });

  test('a request without a trace starts one', () => {
    const [span] = named('GET unmatched');
    expect(span?.traceId).not.toBe(traceId);
    expect(span?.parentSpanId).toBeUndefined();
  });

  test('work for a request is a child span, and outgoing calls are children of the work', () => {
    const [[request], [job], [call], [broken]] = [
      named('GET /things/{id}'),
      named('job look'),
      named('GET'),
      named('POST'),
    ];
    expect(job).toMatchObject({ traceId, parentSpanId: request?.spanId });
    expect(call).toMatchObject({ kind: 3, traceId, parentSpanId: job?.spanId });
    expect(broken).toMatchObject({ status: { code: 2 }, parentSpanId: job?.spanId });
  });

  test('sends the trace only to a trusted service', () => {
    expect(called).toEqual([`00-${traceId}-${named('GET')[0]?.spanId}-01`, undefined]);
  });

  test('marks a failure by its class only', () => {
    const [span] = named('job broken');
    expect(span?.status).toEqual({ code: 2 });
    expect(span?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'RangeError' } });
  });

  test('lines of the log name the trace', () => {
    const ids = lines.filter((line) => line['trace_id'] === traceId).map(({ event }) => event);
    expect(ids).toEqual(['things.looked', 'request']);
  });

  test('sends spans as JSON with the headers and the name of the service, without paths', () => {
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-team': 'a b',
      'x-key': '7',
    });
    expect(received[0]?.batch.resourceSpans[0]?.resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'test-service' },
    });
    expect(JSON.stringify(received)).not.toContain('secret');
  });
});

/** Only setTimeout stands still. */
describe('with a collector that does not answer', () => {
  test('work continues, and a shutdown takes three seconds at most', async () => {
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const stop = await startTracing('test', { ...off, otlpEndpoint: address(deaf) });
    await request(buildApp()).get('/things/7').expect(200);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = stop();
    vi.advanceTimersByTime(3_000);
    vi.useRealTimers();
    await stopped;
    deaf.closeAllConnections();
    deaf.close();
  });

  test('a port without a listener has no effect either', async () => {
    const stop = await startTracing('test', { ...off, otlpEndpoint: 'http://127.0.0.1:1' });
    await request(buildApp()).get('/things/7').expect(200);
    await stop();
  });
});
