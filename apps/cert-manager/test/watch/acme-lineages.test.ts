import type { AcmeLineage, Fqdn, Inventory, Outlook } from '@certloop/contracts';
import { updateRows } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { acmeServerAccounts } from '../../src/front/accounts/server-accounts.repository.js';
import { dayText } from '../../src/statuses/lineages/lineage-text.js';
import type { TestApp } from '../support/app.js';
import { addAcmeClient, withKeys } from '../support/front/acme-clients.js';
import {
  addMachine,
  emitLineages,
  failOrder,
  lineageOf,
  type Machine,
  orderOf,
} from '../support/front/client-lineage.js';
import { addCsr, auditEntries, pathOf } from '../support/inventory.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  certificatesOf,
  entriesOf,
  explanationOf,
  issuedFqdn,
  issueForDays,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  switchRenewal,
} from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('the watch of ACME clients', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let place: RenewalPlace;
  let app: TestApp;
  let made = 0;
  beforeAll(async () => {
    watched = await startWatched(open, withKeys);
    ({ monitor, place } = watched);
    app = place.app;
  });
  afterEach(() => clearWatched(watched));
  afterAll(() => watched.close());

  /** An FQDN that a machine of a client has a certificate of 90 days for. */
  async function clientFqdn(): Promise<{ fqdn: Fqdn; web7: Machine }> {
    await issueForDays(place, 90);
    const fqdn = await renewedFqdn(place, 'www.example.com');
    const web7 = await newMachine(fqdn, 'web-7', { ipAddress: '10.0.0.7' });
    await orderOf(app, fqdn, web7);
    await app.watch();
    return { fqdn, web7 };
  }
  async function newMachine({ spaceId }: Fqdn, name: string, account: Parameters<typeof addMachine>[2]) {
    made += 1;
    const client = await addAcmeClient(app, spaceId, { name: `${name}-${made}` });
    return addMachine(app, client, { userAgent: 'CertBot/2.1.0 (certbot; Debian)', ...account });
  }
  /** Has a further certificate issued to the machine. */
  async function renewBy(fqdn: Fqdn, machine: Machine) {
    await signWith(place, fqdn).expect(200);
    await orderOf(app, fqdn, machine);
    await app.watch();
  }
  const get = async <Body>(path: string) =>
    (await app.request.get(path).set(app.people.ada.auth).expect(200)).body as Body;
  const shownOf = async ({ id, spaceId }: Fqdn) => {
    const shown = await get<Fqdn>(`/spaces/${spaceId}/fqdns/${id}`);
    const [listed] = await get<Fqdn[]>(`/fqdns?include=status&fqdn=${shown.fqdn}&spaceId=${spaceId}`);
    expect(listed?.status).toEqual(shown.status);
    return shown.status;
  };
  const lineagesOf = (fqdn: Fqdn) => get<AcmeLineage[]>(pathOf(fqdn, 'acme-lineages'));
  const lastPing = () => monitor.check().pings.at(-1);
  const release = (fqdn: Fqdn, machine: Machine) =>
    app.request.post(pathOf(fqdn, `acme-lineages/${lineageOf(machine)}/release`)).set(app.people.ada.auth);
  /** Days of the machine's last request and of the end of its certificate, as sentences name them. */
  async function daysOf(machine: Machine, fqdn: Fqdn) {
    const now = app.clock.now();
    const one = (await lineagesOf(fqdn)).find(({ lineage }) => lineage === lineageOf(machine));
    const day = (text = '') => dayText(new Date(text), now).toLowerCase();
    return { seen: day(one?.lastSeenAt), end: day(one?.certificate.expiresAt) };
  }
  /** The sentence about the FQDN at each place that shows one. */
  async function sentencesOf(fqdn: Fqdn): Promise<string[]> {
    await app.watch();
    const [first] = await lineagesOf(fqdn);
    const texts = [
      (await shownOf(fqdn))?.reason,
      (await explanationOf(app, fqdn)).message,
      lastPing()?.body,
      first?.message,
    ];
    return texts.map((text) => String(text).toLowerCase());
  }

  test('leaves the renewal to the client and says so everywhere', async () => {
    const { fqdn, web7 } = await clientFqdn();
    const name = `web-7-${made}`;
    const { seen } = await daysOf(web7, fqdn);
    const sentence = `client ${name} (certbot 2.1, last seen ${seen} from 10.0.0.7) renews it, expected by`;
    for (const text of await sentencesOf(fqdn)) expect(text).toContain(sentence);
    const status = await shownOf(fqdn);
    expect(status).toMatchObject({
      ...{ state: 'valid', outlook: 'renewed_by_client', renewedBy: 'acme_client' },
      acmeClient: { name, lastSeenFrom: '10.0.0.7', lineages: 1 },
    });
    expect(await entriesOf(app, fqdn)).toEqual([]);
    const explanation = await explanationOf(app, fqdn);
    expect(explanation).toMatchObject({
      ...{ outlook: 'renewed_by_client', willRenew: false, watched: 'renewal', renewalEnabled: true },
    });
    app.clock.advance(70 * day);
    await app.renew();
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
    for (const renewalEnabled of [false, true]) {
      await switchRenewal(app, fqdn, renewalEnabled).expect(200);
      expect(await entriesOf(app, fqdn)).toEqual([]);
      expect(await explanationOf(app, fqdn)).toMatchObject({
        ...{ renewalEnabled, outlook: 'renewed_by_client', watched: 'renewal' },
      });
    }
    const [newest] = await certificatesOf(app, fqdn);
    const body = { certificateId: newest?.id, fqdnId: fqdn.id, spaceId: fqdn.spaceId, minutesFromNow: 0 };
    const refused = await app.request.post('/renewal-queue/test/create').set(app.people.ada.auth).send(body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0]).toMatchObject({
      ...{ path: 'fqdnId', code: 'renewed_by_client' },
      message: (await explanationOf(app, fqdn)).message,
    });
  });

  test('counts the renewal by a client as due work of the provider', async () => {
    const { fqdn } = await clientFqdn();
    const dueOf = async () => {
      app.clock.advance(61_000);
      const { providers } = await get<Outlook>(`/outlook?spaceId=${fqdn.spaceId}`);
      return providers.find(({ providerId }) => providerId === place.providerId);
    };
    expect(await dueOf()).toMatchObject({ dueIn24h: 0, firstLoss: { fqdnId: fqdn.id } });
    app.clock.advance(59.5 * day);
    expect(await dueOf()).toMatchObject({ dueIn24h: 1 });
    expect((await shownOf(fqdn))?.renewAt).toBe((await lineagesOf(fqdn))[0]?.expectedAt);
    const found = await get<Fqdn[]>(`/fqdns?renewedBy=acme_client&spaceId=${fqdn.spaceId}`);
    expect(found.map(({ id }) => id)).toEqual([fqdn.id]);
    const { renewedBy } = await get<Inventory>(`/inventory?spaceId=${fqdn.spaceId}`);
    expect(renewedBy).toEqual([{ renewedBy: 'acme_client', names: 1 }]);
  });

  test('fails when the client is late, with its name, its machine and the date', async () => {
    const { fqdn, web7 } = await clientFqdn();
    app.clock.advance(60.9 * day);
    await app.watch();
    expect((await shownOf(fqdn))?.state).toBe('valid');
    expect(lastPing()).toMatchObject({ signal: 'success' });
    app.clock.advance(0.1 * day);
    const { seen, end } = await daysOf(web7, fqdn);
    const sentence = `client web-7-${made} (certbot 2.1, last seen ${seen} from 10.0.0.7) has not renewed www.example.com, which expires on ${end}: look at that machine`;
    for (const text of await sentencesOf(fqdn)) expect(text).toContain(sentence);
    expect(lastPing()).toMatchObject({ signal: 'fail' });
    expect(await shownOf(fqdn)).toMatchObject({ state: 'due', outlook: 'renewed_by_client' });
    await renewBy(fqdn, web7);
    expect((await shownOf(fqdn))?.state).toBe('valid');
    expect(lastPing()).toMatchObject({ signal: 'success', body: expect.stringContaining('renewed: ') });
    expect(await lineagesOf(fqdn)).toHaveLength(1);
  });

  test('expects a client that has read the window by its end', async () => {
    const { fqdn } = await clientFqdn();
    const before = (await lineagesOf(fqdn))[0];
    const windowEnd = new Date(app.clock.now().getTime() + 61 * day);
    await emitLineages(app, fqdn, 'read', { infoReadAt: app.clock.now(), infoWindowEnd: windowEnd });
    await app.watch();
    const [after] = await lineagesOf(fqdn);
    expect(after?.expectedAt).toBe(windowEnd.toISOString());
    expect(after?.expectedAt).not.toBe(before?.expectedAt);
    expect((await shownOf(fqdn))?.attentionAt).toBe(after?.attentionAt);
    const { timeout, grace } = monitor.check().settings as { timeout: number; grace: number };
    const falls = app.clock.now().getTime() + 1000 * (timeout + grace);
    expect(Math.abs(falls - Date.parse(after?.attentionAt ?? ''))).toBeLessThan(2000);
  });

  test('fails at once when an order fails, and is good again when one is issued', async () => {
    const { fqdn, web7 } = await clientFqdn();
    await failOrder(app, fqdn, web7);
    const { seen, end } = await daysOf(web7, fqdn);
    const sentence = `client web-7-${made} (certbot 2.1, last seen ${seen} from 10.0.0.7) could not renew www.example.com, which expires on ${end}: caa forbids it`;
    for (const text of await sentencesOf(fqdn)) expect(text).toContain(sentence);
    expect(lastPing()?.signal).toBe('fail');
    expect(await shownOf(fqdn)).toMatchObject({
      state: 'failing',
      lastFailure: { message: 'CAA forbids it' },
    });
    app.clock.advance(1000);
    await renewBy(fqdn, web7);
    expect(await shownOf(fqdn)).toMatchObject({ state: 'valid' });
    expect(lastPing()?.signal).toBe('success');
  });

  test('does not let one server of a name hide that another has stopped', async () => {
    const { fqdn, web7 } = await clientFqdn();
    app.clock.advance(20 * day);
    const web8 = await newMachine(fqdn, 'web-8', { userAgent: 'goacme-lego/4.35.2', ipAddress: '10.0.0.8' });
    await renewBy(fqdn, web8);
    app.clock.advance(41 * day);
    const [stopped, other] = [`client web-7-${made - 1} (certbot 2.1`, `client web-8-${made} (lego 4.35`];
    for (const text of (await sentencesOf(fqdn)).slice(0, 3)) {
      const { end } = await daysOf(web7, fqdn);
      expect(text).toContain(
        `has not renewed www.example.com, which expires on ${end}: look at that machine;`,
      );
      expect(text.indexOf(stopped)).toBe(0);
      expect(text).toContain(other);
    }
    expect(await lineagesOf(fqdn)).toMatchObject([{ state: 'late' }, { state: 'expected' }]);
    await renewBy(fqdn, web8);
    expect((await shownOf(fqdn))?.state).toBe('due');
    expect(lastPing()?.signal).not.toBe('success');
    await renewBy(fqdn, web7);
    expect((await shownOf(fqdn))?.state).toBe('valid');
    expect(lastPing()?.signal).toBe('success');
  });

  test('lets a machine go that a person reports as gone, until it orders again', async () => {
    const { fqdn, web7 } = await clientFqdn();
    const web8 = await newMachine(fqdn, 'web-8', {});
    app.clock.advance(20 * day);
    await renewBy(fqdn, web8);
    app.clock.advance(50 * day);
    await app.watch();
    expect(lastPing()?.signal).toBe('fail');
    const gone = await release(fqdn, web7).expect(200);
    expect(gone.body).toMatchObject({ state: 'released', lineage: lineageOf(web7) });
    expect(gone.body.message).toMatch(
      /^No further certificate of client web-7-\d+ \(.*: its machine was reported as gone\.$/,
    );
    await app.watch();
    expect(lastPing()).toMatchObject({ signal: 'success' });
    expect(await shownOf(fqdn)).toMatchObject({ state: 'valid', acmeClient: { lineages: 1 } });
    // a second report changes nothing
    await release(fqdn, web7).expect(200);
    const entries = await auditEntries(app, 'acme_client.release');
    expect(entries).toMatchObject([{ resourceId: web7.clientId, spaceId: fqdn.spaceId }]);
    expect(entries[0]?.details).toMatchObject({ fqdnId: fqdn.id, lineage: lineageOf(web7) });
    await renewBy(fqdn, web7);
    expect(await shownOf(fqdn)).toMatchObject({ acmeClient: { lineages: 2 } });
    const unknown = pathOf(fqdn, `acme-lineages/${'0'.repeat(64)}/release`);
    await app.request.post(unknown).set(app.people.ada.auth).expect(404);
  });

  test('watches the expiry when the client is gone, and the renewal again after a CSR', async () => {
    const { fqdn, web7 } = await clientFqdn();
    await app.database.transaction((tx) =>
      updateRows(tx, acmeServerAccounts, { id: web7.account.id }, { status: 'ended' }),
    );
    await emitLineages(app, fqdn, 'ended');
    await app.watch();
    const gone = await explanationOf(app, fqdn);
    expect(gone).toMatchObject({ outlook: 'no_csr', watched: 'expiry', renewalEnabled: true });
    expect(gone.message).toMatch(/^an ACME client ordered the newest certificate and is no longer expected/);
    expect(await shownOf(fqdn)).toMatchObject({ renewedBy: 'none', state: 'valid' });
    expect((await shownOf(fqdn))?.acmeClient).toBeUndefined();
    app.clock.advance(62 * day);
    await app.renew();
    await app.watch();
    expect(lastPing()).toMatchObject({ signal: 'fail', body: expect.stringContaining('no one renews it') });
    expect(await shownOf(fqdn)).toMatchObject({ state: 'due' });
    await addCsr(app, fqdn);
    expect(await shownOf(fqdn)).toMatchObject({ renewedBy: 'certloop' });
    expect(await entriesOf(app, fqdn)).toHaveLength(1);
  });

  test('says of a certificate that is revoked that its client has not renewed it', async () => {
    const { fqdn, web7 } = await clientFqdn();
    const web8 = await newMachine(fqdn, 'web-8', {});
    await renewBy(fqdn, web8);
    await app.database.transaction((tx) =>
      updateRows(tx, certificates, { acmeAccountId: web7.account.id }, { revokedAt: app.clock.now() }),
    );
    await emitLineages(app, fqdn, 'read');
    app.clock.advance(600_000);
    const [text] = await sentencesOf(fqdn);
    expect(text).toContain('has not renewed www.example.com, whose certificate was revoked on');
    expect(await shownOf(fqdn)).toMatchObject({ state: 'due' });
  });

  test('finds what it missed: states and checks after a restart', async () => {
    const { fqdn, web7 } = await clientFqdn();
    await app.database.transaction((tx) =>
      updateRows(tx, acmeServerAccounts, { id: web7.account.id }, { status: 'deactivated' }),
    );
    await app.sweepStatuses();
    await app.watch();
    expect((await explanationOf(app, fqdn)).watched).toBe('expiry');
    expect((await lineagesOf(fqdn))[0]).toMatchObject({ state: 'deactivated' });
    expect(await lineagesOf(await issuedFqdn(place, 'other.example.com'))).toEqual([]);
  });
});
