import { expect, test } from 'vitest';
import { describeMonitor } from '../support/suite.js';

const uuid = '00000000-0000-4000-8000-000000000000';
const metricsKey = 'a key for metrics';

describeMonitor(
  'metrics',
  (stage) => {
    const counters = (version: number, key?: string) => {
      const asked = stage.app.http.get(`/api/v${version}/metrics/`);
      return key === undefined ? asked : asked.set('X-Metrics-Key', key);
    };
    const scrape = (path: string) => stage.app.http.get(`/projects/${uuid}/metrics/${path}`);

    test('returns counters of the service for its key, in every version', async () => {
      await stage.ada.ping(await stage.ada.check());
      for (const version of [1, 2, 3]) {
        const { body } = await counters(version, metricsKey).expect(200);
        expect(body).toEqual({
          ts: Date.UTC(2026, 0, 1, 12) / 1000,
          max_ping_id: expect.any(Number),
          max_notification_id: null,
          num_unprocessed_flips: expect.any(Number),
        });
      }
    });

    test.each([undefined, '', 'another'])('counters are refused with the key %p', async (key) => {
      await counters(3, key).expect(403, { error: 'wrong metrics key' });
    });

    test('Prometheus reads the state of each check and tag', async () => {
      const made = await stage.ada.check({ name: 'a "b"\\\n', tags: 'x y' });
      await stage.ada.ping(made, '/fail');
      await stage.ada.ping(await stage.ada.check({ name: 'two', tags: 'y' }), '/start');
      const answer = await scrape(stage.ada.keys.readOnlyKey).expect(200);
      expect(answer.headers['content-type']).toBe('text/plain');
      const key = (await stage.ada.peek(`/checks/${made.uuid}`)).body.unique_key;
      expect(answer.text).toContain(`# TYPE hc_check_up gauge
hc_check_up{name="a \\"b\\"\\\\\\n", tags="x y", unique_key="${key}"} 0
hc_check_up{name="two", tags="y", unique_key="`);
      expect(answer.text).toMatch(/hc_check_started\{name="two", .*\} 1\n/);
      expect(answer.text).toContain('hc_tag_up{tag="x"} 0\nhc_tag_up{tag="y"} 0\n');
      expect(answer.text).toContain('\nhc_checks_total 2\n');
      expect(answer.text).toContain('\nhc_checks_down_total 1\n');
    });

    test('the key is accepted as a bearer token', async () => {
      const bearer = `Bearer ${stage.ada.keys.readOnlyKey}`;
      await scrape('').set('Authorization', bearer).expect(200);
      await stage.app.http.get(`/projects/${uuid}/metrics`).set('Authorization', bearer).expect(200);
    });

    test('the former address returns the same', async () => {
      const former = (key: string) => stage.app.http.get(`/projects/${uuid}/checks/metrics/${key}`);
      const { readOnlyKey } = stage.ada.keys;
      expect((await former(readOnlyKey).expect(200)).text).toBe((await scrape(readOnlyKey)).text);
      await former('x'.repeat(32)).expect(403);
    });

    test('returns different errors for a wrong key, a missing one and no configured key', async () => {
      await scrape('').expect(401);
      await scrape('').set('Authorization', 'Basic YTpi').expect(401);
      await scrape('short').expect(400);
      await scrape('x'.repeat(32)).expect(403);
      // null characters, which no database could hold
      await scrape(`hcr_%00${'x'.repeat(27)}`).expect(403);
      await scrape(stage.ada.keys.readWriteKey).expect(403);
      await stage.app.http.get('/projects/nothing/metrics/x').expect(404);
      await stage.app.http.post(`/projects/${uuid}/metrics/`).expect(405);
    });
  },
  { metricsKey },
);

describeMonitor('metrics without a key of the service', (stage) => {
  test('are rejected for every caller', async () => {
    await stage.app.http.get('/api/v3/metrics').set('X-Metrics-Key', '').expect(403);
  });
});

describeMonitor(
  'metrics with Prometheus disabled',
  (stage) => {
    test('returns no state of projects, for a key in the path or in a header', async () => {
      const { readOnlyKey } = stage.ada.keys;
      await stage.app.http.get(`/projects/${uuid}/metrics/${readOnlyKey}`).expect(404);
      const asked = stage.app.http.get(`/projects/${uuid}/metrics/`);
      await asked.set('Authorization', `Bearer ${readOnlyKey}`).expect(404);
    });
  },
  { prometheusEnabled: false },
);
