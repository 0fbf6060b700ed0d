import { endpoint, json, NotFound, scalars } from '@certloop/contracts';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  bind,
  createHttpApp,
  createLogger,
  createMetrics,
  errorHandler,
  type Metrics,
  type MetricsAccess,
  metricsPage,
  refuseUnknownPath,
  watchHandler,
} from '../src/index.js';

const token = 'a-token-of-sixteen-letters';
const contract = {
  getThing: endpoint({
    method: 'GET',
    path: '/things/{id}',
    summary: 'Show a thing',
    params: z.object({ id: scalars.uuid }),
    responses: { 200: json(z.object({}), 'The thing') },
    failures: [404],
  }),
};
const thingId = '0b7e1f2a-8f0b-4a55-9d7c-0f5a3c1f2e4d';

const logger = createLogger({ service: 'test', level: 'silent' });

function build(access: Partial<MetricsAccess> = { metricsToken: token }, maxAgeMs = 0) {
  const metrics = createMetrics({ logger, maxAgeMs });
  const app = createHttpApp({ logger, metrics });
  app.use(metricsPage(metrics, { metricsToken: undefined, metricsOpen: false, ...access }));
  app.use(bind(contract, { getThing: async () => ({ status: 200, body: {} }) }, options));
  app.use(refuseUnknownPath);
  app.use(
    errorHandler({ logger, describe: ({ message }) => ({ contentType: 'text/plain', body: message }) }),
  );
  return { app, metrics };
}

const options = { context: () => undefined, bodyBytes: 1_000 };

async function scrape(metrics: Metrics): Promise<string[]> {
  return (await metrics.scrape()).text.split('\n');
}

describe('GET /metrics', () => {
  test('counts requests by the template of their path, and never by the path', async () => {
    const { app } = build();
    await request(app).get(`/things/${thingId}`).expect(200);
    await request(app).get('/things/7').expect(404);
    await request(app).get('/nothing/secret').expect(404);
    const { text, headers } = await request(app)
      .get('/metrics')
      .set('Authorization', `Bearer ${token}`)
      .expect(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    const counts = text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
    expect(counts).toEqual([
      'http_request_duration_seconds_count{method="GET",route="/things/{id}",status="200"} 1',
      'http_request_duration_seconds_count{method="GET",route="/things/{id}",status="404"} 1',
      'http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 1',
    ]);
    expect(text).toContain('\nhttp_requests_in_flight 1\n');
    expect(text).toContain('\nprocess_resident_memory_bytes ');
    expect(text).not.toContain('secret');
  });

  test.each([
    ['no token', undefined],
    ['another token', 'Bearer another-token-of-16'],
    ['the token in another scheme', `Basic ${token}`],
  ])('rejects %s', async (_name, header) => {
    const { app } = build({ metricsToken: token });
    const get = request(app).get('/metrics');
    const { headers } = await (header === undefined ? get : get.set('Authorization', header)).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test('does not exist without a token', async () => {
    const { app } = build({});
    await request(app).get('/metrics').expect(404);
    await request(app).get('/metrics').set('Authorization', 'Bearer undefined').expect(404);
  });

  test('is public if configured', async () => {
    const { app } = build({ metricsOpen: true });
    await request(app).get('/metrics').expect(200);
  });

  test('requires the token even if it is configured to be public', async () => {
    const { app } = build({ metricsOpen: true, metricsToken: token });
    await request(app).get('/metrics').expect(401);
  });
});

describe('metrics of an app', () => {
  test('count requests of handlers outside Express', async () => {
    const { metrics } = build();
    const handler = watchHandler((_request, response) => response.writeHead(202).end(), {
      route: '/beside',
      metrics,
    });
    await request(handler).post('/beside/7').expect(202);
    expect(await scrape(metrics)).toContain(
      'http_request_duration_seconds_count{method="POST",route="/beside",status="202"} 1',
    );
  });

  test('are separate from those of another app in the same process', async () => {
    const [one, other] = [build(), build()];
    await request(one.app).get(`/things/${thingId}`);
    expect(await scrape(other.metrics)).not.toContainEqual(expect.stringContaining('/things/{id}'));
  });

  test('report totals that are counted elsewhere', async () => {
    const { metrics } = build();
    let total = 3;
    metrics.counterOf({
      name: 'pings_total',
      help: 'Pings',
      labels: ['kind'],
      read: () => [{ labels: { kind: 'start' }, value: total }],
    });
    expect(await scrape(metrics)).toContain('pings_total{kind="start"} 3');
    total = 5;
    expect(await scrape(metrics)).toContain('pings_total{kind="start"} 5');
  });

  test('read gauges at a scrape, and drop series that ended', async () => {
    const { metrics } = build();
    let rows = [{ labels: { status: 'pending' }, value: 2 }];
    metrics.gaugesOf({
      name: 'queue',
      gauges: {
        entries: { name: 'queue_entries', help: 'Entries', labels: ['status'] },
        oldest: { name: 'queue_oldest_seconds', help: 'Age', labels: [] },
      },
      read: async () => ({ entries: rows, oldest: rows.length === 0 ? [] : [{ labels: {}, value: 9 }] }),
    });
    expect(await scrape(metrics)).toEqual(
      expect.arrayContaining(['queue_entries{status="pending"} 2', 'queue_oldest_seconds 9']),
    );
    rows = [];
    const later = await scrape(metrics);
    expect(later.filter((line) => /^queue_/.test(line))).toEqual([]);
    expect(later).toContain('# TYPE queue_oldest_seconds gauge');
  });

  test('continue when a gauge fails', async () => {
    const { metrics } = build();
    metrics.gaugesOf({
      name: 'queue',
      gauges: { entries: { name: 'queue_entries', help: 'Entries', labels: ['status'] } },
      read: async () => {
        throw new NotFound('the table is gone');
      },
    });
    const lines = await scrape(metrics);
    expect(lines).toContain('metrics_readings_failed_total{reading="queue"} 1');
    expect(lines).toContain('http_requests_in_flight 0');
  });

  test('count and measure by labels', async () => {
    const { metrics } = build();
    const count = metrics.counter({ name: 'orders_total', help: 'Orders', labels: ['outcome'] });
    const observe = metrics.histogram({ name: 'batch_size', help: 'Pings', labels: [], buckets: [1, 10] });
    count({ outcome: 'issued' });
    count({ outcome: 'issued' }, 2);
    observe({}, 7);
    expect(await scrape(metrics)).toEqual(
      expect.arrayContaining([
        'orders_total{outcome="issued"} 3',
        'batch_size_bucket{le="10"} 1',
        'batch_size_sum 7',
      ]),
    );
  });
});
