import { randomUUID } from 'node:crypto';
import type { AuditLogsPage } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInCaller, type Caller } from '../../src/access/caller.js';
import { recordAudit } from '../../src/audit/audit.service.js';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { startApp, type TestApp } from '../support/app.js';
import { addUser, grant, grantEverything } from '../support/factories.js';
import { type Person, settlePerson } from '../support/people.js';

describeEachDialect('listing audit logs', (open) => {
  let app: TestApp;
  const [north, south] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    app = await startApp(open);
    await grant(app, app.people.ben, 'READ', [north]);
    const { ada, ben } = app.people;
    await record(ada, { action: 'space.create', resourceType: 'space', resourceId: north, spaceId: north });
    await record(ada, { action: 'space.create', resourceType: 'space', resourceId: south, spaceId: south });
    await record(ben, {
      action: 'fqdn.create',
      resourceType: 'fqdn',
      spaceId: south,
      details: { fqdn: 'a_b.example' },
    });
    await record(ada, { action: 'user.update', resourceType: 'user', resourceId: ben.id });
    await record(ada, { action: 'provider.test', resourceType: 'provider', outcome: 'failure' });
    await record(ada, { action: 'audit.test', resourceType: 'audit-log' });
  });
  afterAll(() => app.close());

  function callerOf(person: Pick<Person, 'id' | 'username'>, ipAddress: string): Caller {
    const origin = { requestId: 'test', ipAddress, userAgent: 'agent' };
    return { ...builtInCaller('cli', origin), kind: 'user', userId: person.id, username: person.username };
  }

  /** Each entry a minute after the one before. */
  async function record(person: Person, entry: AuditEntry, ipAddress = '192.0.2.7'): Promise<void> {
    app.clock.advance(60_000);
    const now = app.clock.now();
    await app.database.transaction((tx) => recordAudit(tx, callerOf(person, ipAddress), entry, now));
  }

  async function list(person: Person, query = ''): Promise<AuditLogsPage> {
    const { status, body } = await app.request.get(`/audit-logs?${query}`).set(person.auth);
    expect(status).toBe(200);
    return body as AuditLogsPage;
  }
  const actions = ({ logs }: AuditLogsPage) => logs.map(({ action }) => action);

  test('shows an administrator everything, newest first', async () => {
    const { logs, total, limit, offset } = await list(app.people.ada);
    expect({ total, limit, offset }).toEqual({ total: 6, limit: 100, offset: 0 });
    expect(logs[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'audit.test',
      resourceType: 'audit-log',
      resourceId: '00000000-0000-0000-0000-000000000000',
      userId: app.people.ada.id,
      username: 'ada',
      details: { outcome: 'success', requestId: 'test', actor: { kind: 'user' } },
      ipAddress: '192.0.2.7',
      userAgent: 'agent',
      timestamp: '2026-03-01T12:06:00.000Z',
      seq: logs[0]?.seq,
    });
    expect(logs.map(({ seq = 0 }) => seq)).toEqual(logs.map(({ seq = 0 }) => seq).toSorted((a, b) => b - a));
  });

  describe('shows callers who are not administrators', () => {
    test('their own actions and those on spaces that they may read', async () => {
      expect(actions(await list(app.people.ben))).toEqual(['fqdn.create', 'space.create']);
    });

    test('nothing, if they have no rights and did nothing', async () => {
      expect(await list(app.people.cleo)).toEqual({ logs: [], total: 0, limit: 100, offset: 0 });
    });

    test('with full access, all actions except those on accounts and providers', async () => {
      const full = await settlePerson(app, { username: 'fay' });
      await grantEverything(app, full);
      expect(actions(await list(full))).toEqual([
        'audit.test',
        'fqdn.create',
        'space.create',
        'space.create',
      ]);
    });

    test('with a token for one space, the actions on that space', async () => {
      const limited = await settlePerson(app, { isAdmin: true }, { scope: 'READ', spaceIds: [south] });
      expect(actions(await list(limited))).toEqual(['fqdn.create', 'space.create']);
    });

    test('no addresses and browsers except their own', async () => {
      const { logs } = await list(app.people.ben);
      expect(logs.map(({ ipAddress, userAgent }) => [ipAddress, userAgent])).toEqual([
        ['192.0.2.7', 'agent'],
        ['', ''],
      ]);
    });

    test("nothing of others' addresses by way of the filter", async () => {
      expect(actions(await list(app.people.ben, 'ipAddress=192.0.2.0/24'))).toEqual(['fqdn.create']);
    });
  });

  test.each([
    ['action=fqdn.create', ['fqdn.create']],
    ['action=space.*', ['space.create', 'space.create']],
    ['action=space.c', []],
    ['resourceType=provider', ['provider.test']],
    [`resourceId=${north}`, ['space.create']],
    [`spaceId=${south}`, ['fqdn.create', 'space.create']],
    ['username=BEN', ['fqdn.create']],
    ['outcome=failure', ['provider.test']],
    ['ipAddress=192.0.2.7&limit=1', ['audit.test']],
    ['ipAddress=192.0.2.0/28&limit=1', ['audit.test']],
    ['ipAddress=192.0.2.8', []],
    ['ipAddress=2001:db8::/32', []],
    ['from=2026-03-01T12:06:00Z', ['audit.test']],
    ['from=2026-03-01T13:05:00%2B01:00&to=2026-03-01T12:06:00.000Z', ['provider.test']],
    ['q=a_B.exa', ['fqdn.create']],
    ['q=aXb.exa', []],
    ['q=100%25', []],
    ['order=asc&limit=1', ['space.create']],
    ['limit=2&offset=1', ['provider.test', 'user.update']],
    ['limit=1&offset=5', ['space.create']],
    ['limit=1&offset=6', []],
    ['order=asc&limit=2&offset=3', ['user.update', 'provider.test']],
    ['offset=100000000', []],
  ])('filters by %s', async (query, expected) => {
    expect(actions(await list(app.people.ada, query))).toEqual(expected);
  });

  test('filters by user', async () => {
    expect(actions(await list(app.people.ada, `userId=${app.people.ben.id}`))).toEqual(['fqdn.create']);
  });

  test('counts all entries that match the filter, on any page', async () => {
    const { total, logs } = await list(app.people.ada, 'action=space.*&limit=1');
    expect({ total, shown: logs.length }).toEqual({ total: 2, shown: 1 });
  });

  test('continues after a position, in either order', async () => {
    const all = await list(app.people.ada);
    const third = all.logs[2]?.seq;
    expect((await list(app.people.ada, `after=${third}`)).logs).toEqual(all.logs.slice(3));
    expect((await list(app.people.ada, `after=${third}&order=asc`)).logs).toEqual(
      all.logs.slice(0, 2).reverse(),
    );
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=ten',
    'offset=-1',
    'order=up',
    'userId=7',
    'ipAddress=192.0.2.0/33',
    'ipAddress=here',
    'from=yesterday',
    'from=2026-02-30T00:00:00Z',
    'after=-1',
    'action=%00',
    'username=a%00',
    'q=%00',
    'limit=1&limit=2',
  ])('refuses %s', async (query) => {
    expect((await app.request.get(`/audit-logs?${query}`).set(app.people.ada.auth)).status).toBe(400);
  });

  test('returns unusual characters unchanged', async () => {
    const odd = await addUser(app);
    const entry = {
      action: 'audit.test',
      resourceType: 'test',
      details: { text: 'nul \u0000, half \ud800, 🦉' },
    } as const;
    await app.database.transaction((tx) => recordAudit(tx, callerOf(odd, 'x'), entry, app.clock.now()));
    const { logs } = await list(app.people.ada, `userId=${odd.id}`);
    expect(logs[0]?.details).toMatchObject({ text: 'nul \ufffd, half \ufffd, 🦉' });
  });

  test.each(['"quoted"', 'C:\\dir', 'ÄÖ', 'äö', 'straße "', 'LINE\nTWO', 'x"}'])(
    'finds %j in the details',
    async (text) => {
      const details = { text: 'a "quoted" C:\\dir, ÄÖ, straße "x", line\ntwo', last: { name: 'x' } };
      const entry = { action: 'audit.test', resourceType: 'words', details } as const;
      await record(app.people.ada, entry);
      const query = `resourceType=words&limit=1&q=${encodeURIComponent(text)}`;
      expect((await list(app.people.ada, query)).logs).toHaveLength(1);
    },
  );

  test("filters by address among the caller's own actions only, for any user in the filter", async () => {
    const query = `ipAddress=192.0.2.7&userId=${app.people.ada.id}`;
    expect((await list(app.people.ben, query)).logs).toEqual([]);
    expect((await list(app.people.ada, `${query}&limit=1`)).logs).toHaveLength(1);
  });

  test('shows a token for one space no action of its owner elsewhere', async () => {
    const limited = await settlePerson(app, { isAdmin: true }, { scope: 'READ', spaceIds: [south] });
    await record(limited, { action: 'user.create', resourceType: 'user' });
    await record(limited, { action: 'space.watch', resourceType: 'space', spaceId: north });
    await record(limited, { action: 'space.watch', resourceType: 'space', spaceId: south });
    expect(actions(await list(limited, `userId=${limited.id}`))).toEqual(['space.watch']);
    const nowhere = await settlePerson(app, {}, { scope: 'READ', spaceIds: [south] });
    await record(nowhere, { action: 'space.watch', resourceType: 'space', spaceId: south });
    expect((await list(nowhere)).total).toBe(0);
  });
});

describeEachDialect('a log of 50,000 entries', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
    const caller = builtInCaller('scheduler', { requestId: 'bulk', ipAddress: '::1', userAgent: '' });
    const entry = { action: 'audit.test', resourceType: 'test', spaceId: randomUUID() } as const;
    await app.database.transaction((tx) => recordAudit(tx, caller, entry, app.clock.now()));
    const columns = (await app.database.read((tx) => tx.query('select * from audit_logs'))) as object[];
    const names = Object.keys(columns[0] ?? {}).filter((name) => name !== 'id' && name !== 'entry_id');
    const uuid =
      app.database.dialect.name === 'postgres'
        ? 'gen_random_uuid()'
        : "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6)))";
    await app.database.transaction((tx) =>
      tx.query(
        `insert into audit_logs (entry_id, ${names.join(', ')})
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 49999)
         select ${uuid}, ${names.map((name) => `a.${name}`).join(', ')} from audit_logs a, n`,
      ),
    );
  });
  afterAll(() => app.close());

  test.each([
    ['offset=49900', 50_000, 100],
    ['offset=49999', 50_000, 1],
    ['q=nothing', 0, 0],
  ])('counts exactly, and shows the page, by "%s"', async (query, total, shown) => {
    const listed = app.request.get(`/audit-logs?action=audit.*&${query}`).set(app.people.ada.auth);
    const { body } = await listed.expect(200);
    expect([body.total, body.logs.length]).toEqual([total, shown]);
  });
});
