import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { type Holder, openTestApp, type TestApp } from '../support/app.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const metricsToken = 'a-token-of-sixteen-letters';

describeEachDialect('GET /metrics', (open) => {
  let app: TestApp;
  let ada: Holder;
  let target: Recorder;
  beforeAll(async () => {
    target = await startRecorder();
    app = await openTestApp(open, { metricsToken });
    ada = await app.newProject();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  /** Samples by their name and labels. */
  async function scrape(): Promise<Map<string, number>> {
    const { text } = await app.http
      .get('/metrics')
      .set('Authorization', `Bearer ${metricsToken}`)
      .expect(200);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(/[^ ]+$/.exec(line)?.[0])]));
  }

  test('requires its own token, and rejects keys of projects', async () => {
    await app.http.get('/metrics').expect(401);
    const { body } = await app.http.get('/metrics').set('X-Api-Key', ada.keys.readWriteKey).expect(401);
    expect(body).toEqual({ error: 'this needs the metrics token: send it as Bearer' });
  });

  test('has the counters of the alert rules from the start, as 0', async () => {
    const samples = await scrape();
    const zeros = [
      ...['success', 'start', 'fail', 'log', 'mail'].map(
        (kind) => `check_monitor_pings_total{kind="${kind}",answer="failed"}`,
      ),
      ...['delivered', 'failed', 'refused'].map(
        (outcome) => `check_monitor_deliveries_total{kind="slack",outcome="${outcome}"}`,
      ),
      ...['queues', 'checks'].map((reading) => `metrics_readings_failed_total{reading="${reading}"}`),
      'check_monitor_flips_without_channel_total',
      'check_monitor_logins_throttled_total',
      'check_monitor_untrusted_proxy_requests_total',
    ];
    expect(zeros.map((sample) => [sample, samples.get(sample)])).toEqual(zeros.map((sample) => [sample, 0]));
  });

  test('counts pings by their kind and answer, and how many were stored at once', async () => {
    const check = await ada.check({ name: 'Backup' });
    const before = await scrape();
    await ada.ping(check, '/start');
    await ada.ping(check);
    await app.http.get('/ping/0b7e1f2a-8f0b-4a55-9d7c-0f5a3c1f2e4d').expect(404);
    const after = await scrape();
    const rise = (sample: string) => (after.get(sample) ?? 0) - (before.get(sample) ?? 0);
    expect(rise('check_monitor_pings_total{kind="start",answer="stored"}')).toBe(1);
    expect(rise('check_monitor_pings_total{kind="success",answer="stored"}')).toBe(1);
    expect(rise('check_monitor_pings_total{kind="success",answer="not_found"}')).toBe(1);
    expect(rise('check_monitor_ping_batch_size_sum')).toBe(3);
    expect(after.get('check_monitor_checks{status="up"}')).toBe(1);
  });

  test('counts overdue checks of the alert loop, and the results of messages', async () => {
    const hook = (path: string) => ({ method: 'POST', url: `${target.url}${path}`, body: 'it fell' });
    const projectId = ada.keys.projectId;
    const settings = { down: hook('/down'), up: hook('/up') };
    await createChannel(app.accounts, {
      projectId,
      kind: 'webhook',
      name: 'hook',
      settings,
      isVerified: true,
    });
    const check = await ada.check({ name: 'Job', timeout: 60, grace: 60, channels: '*' });
    await ada.ping(check);
    app.clock.advance(150_000);
    expect((await scrape()).get('check_monitor_due_lag_seconds')).toBe(30);

    await app.tick();
    const fallen = await scrape();
    expect(fallen.get('check_monitor_due_lag_seconds')).toBe(0);
    expect(fallen.get('check_monitor_checks{status="down"}')).toBe(1);
    expect(fallen.get('check_monitor_flips_waiting')).toBe(0);
    expect(fallen.get('check_monitor_messages_waiting')).toBe(1);
    expect(fallen.get('job_runs_total{name="alerts",outcome="succeeded"}')).toBe(1);
    app.clock.advance(10_000);
    expect((await scrape()).get('check_monitor_oldest_message_seconds')).toBe(10);

    await app.deliver();
    const scraped = await scrape();
    expect(scraped.get('check_monitor_messages_waiting')).toBe(0);
    expect(scraped.get('check_monitor_oldest_message_seconds')).toBe(0);
    expect(scraped.get('check_monitor_deliveries_total{kind="webhook",outcome="delivered"}')).toBe(1);
    expect(scraped.get('check_monitor_delivery_duration_seconds_count{kind="webhook"}')).toBe(1);
  });

  test('counts a channel that fails, whose messages are not late', async () => {
    const check = await ada.check({ name: 'Other job', timeout: 60, grace: 60, channels: '*' });
    await ada.ping(check, '/fail');
    target.answer((response) => response.writeHead(503).end());
    await app.tick();
    await app.deliver();
    app.clock.advance(1000);
    const failing = await scrape();
    expect(failing.get('check_monitor_channels_failing')).toBe(1);
    expect(failing.get('check_monitor_messages_waiting')).toBe(1);
    expect(failing.get('check_monitor_oldest_message_seconds')).toBe(0);
    target.reset();
    app.clock.advance(60_000);
    await app.deliver();
    const well = await scrape();
    expect(well.get('check_monitor_channels_failing')).toBe(0);
    expect(well.get('check_monitor_messages_waiting')).toBe(0);
  });

  test('shows for how long a message has waited for a channel that is held back', async () => {
    const check = await ada.check({ name: 'Held job', timeout: 60, grace: 60, channels: '*' });
    await ada.ping(check, '/fail');
    target.answer((response) => response.writeHead(429, { 'Retry-After': '3600' }).end());
    await app.tick();
    await app.deliver();
    app.clock.advance(1_800_000);
    const held = await scrape();
    expect(held.get('check_monitor_oldest_held_message_seconds')).toBe(1800);
    expect(held.get('check_monitor_oldest_message_seconds')).toBe(0);
    expect(held.get('check_monitor_channels_failing')).toBe(0);
    target.reset();
    app.clock.advance(1_800_000);
    await app.deliver();
    expect((await scrape()).get('check_monitor_oldest_held_message_seconds')).toBe(0);
  });

  test('counts requests by the template of their path, without a key in it', async () => {
    await app.http.get(`/projects/${ada.keys.projectId}/metrics/${ada.keys.readOnlyKey}`).expect(200);
    const samples = [...(await scrape()).keys()].filter((sample) =>
      sample.startsWith('http_request_duration'),
    );
    expect(samples).toContain(
      'http_request_duration_seconds_count{method="GET",route="/projects/:uuid/metrics/:key",status="200"}',
    );
    expect(samples.join()).not.toContain(ada.keys.readOnlyKey);
  });

  test('does not conflict with the addresses of the check API', async () => {
    await app.http.get('/projects/x/metrics/').expect(404);
    await app.http.get('/api/v3/metrics/').expect(403);
    const { body } = await app.http.get('/openapi.json').expect(200);
    expect(Object.keys(body.paths)).toContain('/api/v3/checks/');
    const { text } = await app.http.get('/docs/').expect(200);
    expect(text).toContain('<title>Check-monitoring service</title>');
  });
});
