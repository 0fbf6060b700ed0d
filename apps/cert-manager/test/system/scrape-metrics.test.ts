import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { pathOf } from '../support/inventory.js';
import {
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { configure } from '../support/signing.js';

const metricsToken = 'a-token-of-sixteen-letters';

describeEachDialect('GET /metrics', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open, { environment: { METRICS_TOKEN: metricsToken } });
  });
  afterAll(() => place.close());

  /** Samples by their name and labels. */
  async function scrape(): Promise<Map<string, number>> {
    const asked = place.app.request.get('/metrics').set('Authorization', `Bearer ${metricsToken}`);
    const { text } = await asked.expect(200);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(/[^ ]+$/.exec(line)?.[0])]));
  }

  test('requires its own token, and rejects API tokens', async () => {
    const { app } = place;
    await app.request.get('/metrics').expect(401);
    const { body } = await app.request.get('/metrics').set(app.people.ada.auth).expect(401);
    expect(body).toMatchObject({ status: 401, detail: 'this needs the metrics token: send it as Bearer' });
  });

  test('reports the queue, its lag, and the results of issuance', async () => {
    const { app } = place;
    const before = await scrape();
    expect(before.get('cert_manager_renewals_due')).toBe(0);
    expect(before.get('cert_manager_renewal_lag_seconds')).toBe(0);

    const fqdn = await renewedFqdn(place, 'metrics.example.org');
    await moveToRenewal(app, fqdn);
    app.clock.advance(90_000);
    const due = await scrape();
    expect(due.get('cert_manager_renewal_entries{status="pending"}')).toBe(1);
    expect(due.get('cert_manager_renewal_entries{status="failed"}')).toBe(0);
    expect(due.get('cert_manager_renewals_due')).toBe(1);
    expect(due.get('cert_manager_renewal_lag_seconds')).toBe(90);

    await app.renew();
    const after = await scrape();
    expect(after.get('cert_manager_renewals_due')).toBe(0);
    expect(after.get('cert_manager_renewal_entries{status="completed"}')).toBe(1);
    const certificates = 'cert_manager_certificates_requested_total';
    for (const outcome of ['refused', 'failed'])
      expect(after.get(`${certificates}{provider="dummy-ca",purpose="renewal",outcome="${outcome}"}`)).toBe(
        0,
      );
    expect(before.get('metrics_readings_failed_total{reading="renewals"}')).toBe(0);
    expect(after.get(`${certificates}{provider="dummy-ca",purpose="issuance",outcome="issued"}`)).toBe(1);
    expect(after.get(`${certificates}{provider="dummy-ca",purpose="renewal",outcome="issued"}`)).toBe(1);
    const calls = 'cert_manager_provider_call_duration_seconds_count';
    expect(after.get(`${calls}{provider="dummy-ca",call="sign",outcome="issued"}`)).toBe(2);
  });

  test('reports the expiry of certificates in use by space, and those without renewal', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place, 'expiring.example.org');
    const space = (await app.request.get('/spaces').set(app.people.ada.auth)).body.find(
      ({ id }: { id: string }) => id === fqdn.spaceId,
    );
    const labels = `space_id="${space.id}",space="${space.name}"`;
    const began = await scrape();
    expect(began.get(`cert_manager_certificates{${labels},expiry="30d"}`)).toBe(1);
    expect(began.get('cert_manager_certificates_unattended')).toBe(0);
    const soonest = began.get(`cert_manager_certificate_soonest_expiry_timestamp_seconds{${labels}}`) ?? 0;
    expect(Math.round((soonest * 1000 - app.clock.now().getTime()) / 86_400_000)).toBe(30);

    await switchRenewal(app, fqdn, false);
    app.clock.set(new Date(soonest * 1000 - 7 * 86_400_000 - 1000));
    expect((await scrape()).get('cert_manager_certificates_unattended')).toBe(0);
    app.clock.advance(1000);
    const late = await scrape();
    expect(late.get('cert_manager_certificates_unattended')).toBe(1);
    const counted = (await app.request.get('/fqdns/counts').set(app.people.ada.auth).expect(200)).body;
    expect(counted.due).toBeGreaterThan(0);
    for (const state of ['unfinished', 'due', 'failing', 'expired'])
      expect([state, late.get(`cert_manager_fqdns{state="${state}"}`)]).toEqual([state, counted[state]]);
    expect(late.get('cert_manager_fqdns_needing_people')).toBe(counted.needsYou);
    expect(late.get(`cert_manager_certificates{${labels},expiry="7d"}`)).toBe(1);

    app.clock.set(new Date(soonest * 1000));
    expect((await scrape()).get(`cert_manager_certificates{${labels},expiry="expired"}`)).toBe(1);
    app.clock.advance(30 * 86_400_000);
    expect((await scrape()).get('cert_manager_certificates_unattended')).toBe(0);
  });

  test('counts requests by template, errors and rejected callers', async () => {
    const { app } = place;
    await app.request.get('/users').set(app.people.ben.auth).expect(403);
    const login = { username: 'ada.lasting', password: 'none of hers' };
    for (let time = 0; time < 11; time += 1) await app.request.post('/auth/login').send(login);
    const samples = await scrape();
    expect(samples.get('http_request_duration_seconds_count{method="GET",route="/users",status="403"}')).toBe(
      1,
    );
    expect(samples.get('cert_manager_denials_total{action="access.denied"}')).toBe(1);
    expect(samples.get('cert_manager_denials_total{action="auth.fail"}')).toBeGreaterThan(0);
    expect(samples.get('cert_manager_logins_throttled_total')).toBe(1);
  });

  test('leaves the pages of the API public', async () => {
    const { text } = await place.app.request.get('/docs/').expect(200);
    expect(text).toContain('Certificate management service');
  });

  test.each([
    { validityDays: 90, nearDays: 3 },
    { validityDays: 5, nearDays: 0.5 },
  ])(
    'counts a certificate of $validityDays days as near its expiry in its last $nearDays days',
    async ({ validityDays, nearDays }) => {
      const { app, ca, providerId } = place;
      await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays }).expect(200);
      const fqdn = await renewedFqdn(place, `near-${validityDays}.example.org`);
      const listed = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
      const expiresAt = Date.parse(listed.body.at(-1).expiresAt);
      const countAt = async (ms: number) => {
        app.clock.set(new Date(ms));
        const samples = [...(await scrape())];
        return samples.find(
          ([name]) =>
            name.startsWith('cert_manager_certificates_near_expiry') && name.includes(String(fqdn.spaceId)),
        )?.[1];
      };
      const dayMs = 86_400_000;
      expect(await countAt(expiresAt - nearDays * dayMs - 60_000)).toBeUndefined();
      expect(await countAt(expiresAt - nearDays * dayMs + 60_000)).toBe(1);
      expect(await countAt(expiresAt + 29 * dayMs)).toBe(1);
      expect(await countAt(expiresAt + 30 * dayMs)).toBeUndefined();
    },
  );
});
