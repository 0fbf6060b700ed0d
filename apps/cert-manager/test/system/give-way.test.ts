import { request } from 'node:http';
import { excessMs } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countFqdnRows } from '../../src/fqdns/fqdns.repository.js';
import { type FqdnStatusRow, fqdnStatuses } from '../../src/statuses/statuses.repository.js';
import type { TestApp } from '../support/app.js';
import { type Caller, callBeside } from '../support/ask-beside.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import { seedLargePlace, seedLongNames } from '../support/large-place.js';
import { createProvider, fqdnWithCsr, providerOf, startAppWithCa } from '../support/signing.js';

describeEachDialect('work on very many FQDNs and audit entries', (open, dialect) => {
  // PostgreSQL works in another process: there it is enough that the answers come in several slices
  const [count, entries] = dialect === 'sqlite' ? [50_000, 100_000] : [6_000, 10_000];
  let app: TestApp;
  let caller: Caller;
  let close: () => Promise<void>;
  let spaceId: string;
  let fqdnId: string;

  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open));
    caller = await callBeside(app);
    await seed();
    // what runs for the first time is compiled first
    await ask('GET', '/audit-logs?q=nothing');
    await ask('GET', '/audit-logs/export?action=space.create');
    await ask('GET', `/spaces/${spaceId}/fqdns?limit=1000`);
  });
  afterAll(async () => {
    caller.close();
    await close();
  });

  async function seed(): Promise<void> {
    const { fqdn } = await fqdnWithCsr(app);
    ({ id: fqdnId, spaceId } = fqdn);
    const { ada } = app.people;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request.post(pathOf(fqdn, 'csr/sign')).set(ada.auth).send({ providerId }).expect(200);
    const put = app.request.put(pathOf(fqdn, 'renewal-enabled')).set(ada.auth);
    await put.send({ renewalEnabled: true }).expect(200);
    await seedLargePlace(app.database, { fqdnId, count, own: count / 5, entries });
  }

  const ask = (method: string, path: string) => caller.ask(method, path);
  const askBeside = (method: string, path: string) => caller.askBeside(method, path);

  const countOutlook = (outlook: FqdnStatusRow['outlook']) =>
    app.database.read((tx) => tx.count(fqdnStatuses, { where: { outlook } }));

  test('exports all entries', async () => {
    const { lines } = await askBeside('GET', '/audit-logs/export');
    expect(lines).toBeGreaterThan(entries);
  });

  test('judges all names by the rules of a day', async () => {
    const path = '/readiness?on=2029-03-15';
    await askBeside('GET', path);
    const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
    expect(body).toMatchObject({ certificates: { total: count, public: 0 }, capacity: { names: count } });
  });

  test('deletes a provider that issued very many certificates before', async () => {
    const config = { baseUrl: 'https://8.8.8.8' };
    const change = 'update certificates set provider_id = $1 where replaced_at is not null';
    const measure = async () => {
      const { id } = await createProvider(app, { kind: 'dummy-ca', name: 'former', config });
      const issued = await app.database.longTransaction((tx) => executeSql(tx, change, [id]));
      expect(issued).toBeGreaterThan(count / 6);
      return (await caller.measure('DELETE', `/providers/${id}`)).maxMs;
    };
    expect(await excessMs(50, measure)).toBeUndefined();
  });

  test('searches the details for a text', async () => {
    await askBeside('GET', '/audit-logs?q=host-4711.');
  });

  test('returns pages of a search over the whole log', async () => {
    const nines = Number(String(entries - 1).slice(1));
    const oldest = [nines, ...Array.from({ length: 10 }, (_, last) => 10 * nines + last)];
    const search = async (query: string) => {
      const path = `/audit-logs?q=host-${nines}&${query}`;
      const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
      const found = body.logs as { seq: number; details: { fqdn: string } }[];
      const names = found.map(({ details }) => Number(/\d+/.exec(details.fqdn)?.[0]));
      return { total: body.total as number, names, seqs: found.map(({ seq }) => seq) };
    };
    const { total, names, seqs } = await search('order=asc');
    expect({ total, names }).toEqual({ total: 11, names: oldest });
    expect(await search('')).toMatchObject({ total: 11, names: oldest.toReversed() });
    expect(await search('order=asc&limit=3')).toMatchObject({ total: 11, names: oldest.slice(0, 3) });
    expect(await search('order=asc&limit=3&offset=1')).toMatchObject({
      total: 11,
      names: oldest.slice(1, 4),
    });
    expect(await search('limit=2&offset=9')).toMatchObject({ total: 11, names: [10 * nines, nines] });
    expect(await search('offset=11')).toMatchObject({ total: 11, names: [] });
    const after = await search(`order=asc&after=${seqs[0]}&offset=1&limit=2`);
    expect(after).toMatchObject({ total: 11, names: oldest.slice(2, 4) });
    expect(await search(`after=${seqs[1]}`)).toMatchObject({ total: 11, names: [nines] });
  });

  test('stops a search when its caller disconnects, and starts the next one', async () => {
    const asked = request({ port: caller.port, path: '/audit-logs?q=nowhere', headers: app.people.ada.auth });
    const closed = new Promise((resolve) => {
      asked.on('error', resolve);
    });
    asked.end();
    setImmediate(() => asked.destroy());
    await closed;
    expect(await ask('GET', '/audit-logs?q=host-4711.')).toMatchObject({ status: 200 });
    expect(app.logged().filter(({ event }) => event === 'request.unexpected_error')).toEqual([]);
  });

  test('lists all FQDNs, queue entries, certificates and CSRs', async () => {
    for (const path of [
      `/spaces/${spaceId}/fqdns`,
      '/renewal-queue',
      `/spaces/${spaceId}/fqdns/${fqdnId}/certificates`,
      `/spaces/${spaceId}/fqdns/${fqdnId}/csr`,
    ]) {
      const { size } = await askBeside('GET', path);
      expect(size).toBeGreaterThan(100 * count);
    }
  });

  test('counts in detail', async () => {
    await askBeside('GET', '/stats?detail=true');
  });

  test('searches names for a text that begins like them at every place', async () => {
    await seedLongNames(app.database, (count * 2) / 5);
    const texts = { fqdns: 61, spaces: 50, users: 120 };
    const text = (list: keyof typeof texts) => `${'a'.repeat(texts[list])}b`;
    for (const path of [
      `/fqdns?q=${text('fqdns')}`,
      `/fqdns/counts?q=${text('fqdns')}`,
      `/spaces/${spaceId}/fqdns?sort=fqdn&q=${text('fqdns')}`,
      `/spaces?q=${text('spaces')}`,
      `/users?q=${text('users')}`,
    ]) {
      const { size } = await askBeside('GET', path);
      // no names
      expect(size).toBeLessThan(200);
    }
  });

  test('deletes all CSRs, then all FQDNs of a space, then all audit entries', async () => {
    const measure = async () => {
      // gone where the work is measured again
      if ((await countOutlook('planned')) === 0) await seed();
      return deleteAll();
    };
    expect(await excessMs(50, measure)).toBeUndefined();
  });

  /** The longest stretch of the three deletions, in CPU milliseconds. */
  async function deleteAll(): Promise<number> {
    expect(await countOutlook('planned')).toBe(count);
    const ofCsrs = await caller.measure('DELETE', '/csrs?confirm=true');
    expect(await countOutlook('no_csr')).toBe(count);
    let isOver = false;
    const deleting = caller.measure('DELETE', `/spaces/${spaceId}/fqdns`).finally(() => {
      isOver = true;
    });
    // the second time, whatever had to be opened for it is there
    for (let n = 0; n < 2; n += 1) {
      expect(await ask('GET', '/health')).toMatchObject({ status: 200 });
      expect(await ask('GET', '/health/ready')).toMatchObject({ status: 200 });
      expect(await ask('GET', `/spaces/${spaceId}/fqdns?limit=1000`)).toMatchObject({ status: 200 });
    }
    // a deletion of few on PostgreSQL may be over by then
    if (dialect === 'sqlite') expect(isOver).toBe(false);
    const ofFqdns = await deleting;
    expect(await app.database.read((tx) => countFqdnRows(tx, [spaceId]))).toBe(0);
    const [deletion] = await auditEntries(app, 'fqdn.deleteAll');
    expect(deletion?.details).toMatchObject({ deletedCount: count });
    const ofEntries = await caller.measure('DELETE', '/audit-logs');
    return Math.max(...[ofCsrs, ofFqdns, ofEntries].map(({ maxMs }) => maxMs ?? 0));
  }
});
