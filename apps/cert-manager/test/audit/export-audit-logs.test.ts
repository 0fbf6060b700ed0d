import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditLog } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInCaller } from '../../src/access/caller.js';
import { recordAudit } from '../../src/audit/audit.service.js';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { auditEntries } from '../support/inventory.js';
import type { Person } from '../support/people.js';

/** What the work gives once it succeeds: the server learns a little later than we that a connection is closed. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describeEachDialect('exporting audit logs', (open) => {
  let app: TestApp;
  const [north, south] = [randomUUID(), randomUUID()];
  // more than what is read at once
  const many = 1234;

  beforeAll(async () => {
    app = await startApp(open);
    await grant(app, app.people.ben, 'READ', [north]);
    await record(app.people.ada, { action: 'space.create', resourceType: 'space', spaceId: south });
    await record(app.people.ben, {
      action: 'fqdn.create',
      resourceType: 'fqdn',
      spaceId: north,
      details: { fqdn: '=cmd|x' },
    });
    const entry = { action: 'audit.test', resourceType: 'audit-log' } as const;
    const caller = builtInCaller('scheduler', { requestId: 'bulk', ipAddress: '::1', userAgent: '=1+1' });
    await app.database.transaction(async (tx) => {
      for (let made = 2; made < many; made += 1) await recordAudit(tx, caller, entry, app.clock.now());
    });
  });
  afterAll(() => app.close());

  async function record(person: Person, entry: AuditEntry): Promise<void> {
    const origin = { requestId: 'test', ipAddress: '192.0.2.7', userAgent: 'agent' };
    const caller = {
      ...builtInCaller('cli', origin),
      kind: 'user',
      userId: person.id,
      username: person.username,
    } as const;
    await app.database.transaction((tx) => recordAudit(tx, caller, entry, app.clock.now()));
  }

  const ask = (query: string, person: Person = app.people.ada) =>
    app.request
      .get(`/audit-logs/export?${query}`)
      .set(person.auth)
      .buffer(true)
      .parse((answer, done) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => done(null, Buffer.concat(parts).toString()));
      });
  const entriesOf = async (query: string, person?: Person) => {
    const { body } = await ask(query, person).expect(200);
    const lines = (body as string).split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => JSON.parse(line) as AuditLog);
  };

  test('returns every entry as one JSON object a line, newest first, as the list shows it', async () => {
    const entries = await entriesOf('format=jsonl');
    expect(entries).toHaveLength(many);
    const { body } = await app.request.get('/audit-logs?action=audit.test&limit=3').set(app.people.ada.auth);
    expect(entries.slice(0, 3)).toEqual(body.logs);
    const positions = entries.map(({ seq = 0 }) => seq);
    expect(positions).toEqual(positions.toSorted((one, other) => other - one));
    expect(new Set(positions).size).toBe(many);
  });

  test('is a download with the media type of its format', async () => {
    const jsonl = await ask('format=jsonl&action=space.*');
    expect(jsonl.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="audit-logs.jsonl"',
      'cache-control': 'no-store',
    });
    const csv = await ask('format=csv&action=space.*');
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="audit-logs.csv"',
    });
  });

  test('returns comma-separated values that no spreadsheet executes', async () => {
    const { body } = await ask('format=csv&order=asc');
    const lines = (body as string).split('\r\n');
    expect(lines[0]).toBe(
      'seq,timestamp,action,resourceType,resourceId,userId,username,ipAddress,userAgent,details,id',
    );
    expect(lines[2]).toContain('""fqdn"":""=cmd|x""');
    expect(lines[3]).toContain(`,"'=1+1",`);
    expect(lines.length).toBeGreaterThan(many);
    for (const line of lines) expect(line).not.toMatch(/(?:^|,)"?[=+@-]/);
  });

  test('accepts the filters of the list, and begins after a position', async () => {
    expect(await entriesOf('action=fqdn.*')).toMatchObject([{ action: 'fqdn.create' }]);
    expect(await entriesOf('username=unknown')).toEqual([]);
    const [first, second] = await entriesOf('order=asc&action=audit.test');
    expect((await entriesOf(`order=asc&action=audit.test&after=${first?.seq}`))[0]).toEqual(second);
  });

  test('returns to other callers what the list shows them, without addresses of other users', async () => {
    const entries = await entriesOf('action=fqdn.*', app.people.ben);
    expect(entries).toMatchObject([{ ipAddress: '192.0.2.7' }]);
    expect(await entriesOf('action=space.*', app.people.ben)).toEqual([]);
    expect(await entriesOf('', app.people.cleo)).toEqual([]);
  });

  test('is logged, and does not contain its own entry', async () => {
    const [entry] = (await auditEntries(app, 'audit.export')).slice(-1);
    const entries = await entriesOf('format=jsonl&action=audit.export&q=space');
    expect(entries.map(({ seq }) => seq)).not.toContain((entry?.id ?? 0) + 1);
    expect((await auditEntries(app, 'audit.export')).at(-1)).toMatchObject({
      userId: app.people.ada.id,
      resourceType: 'audit-log',
      details: { outcome: 'success', format: 'jsonl', action: 'audit.export', q: 'space' },
    });
  });

  test.each([
    'format=xml',
    'format=CSV',
    'format=csv&format=csv',
    'order=up',
    'from=yesterday',
    'userId=7',
    'after=x',
    'q=%00',
  ])('refuses %s', async (query) => {
    const { headers } = await app.request
      .get(`/audit-logs/export?${query}`)
      .set(app.people.ada.auth)
      .expect(400);
    expect(headers['content-type']).toBe('application/problem+json');
  });

  test('requires a signed-in user', async () => {
    await app.request.get('/audit-logs/export').expect(401);
  });

  describe('twice at once', () => {
    const begin = async (port: number, person: Person) => {
      const asked = get({ port, path: '/audit-logs/export', headers: person.auth });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return { asked, answer };
    };

    test('is rejected for the same user until the first one ends, but not for others', async () => {
      const server = createServer(app.http).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { ada, ben } = app.people;
      // more than the sockets between hold, so that it goes on until it is taken
      const entry = {
        action: 'audit.test',
        resourceType: 'audit-log',
        details: { pad: 'x'.repeat(8000) },
      } as const;
      const caller = builtInCaller('scheduler', { requestId: 'bulk', ipAddress: '::1', userAgent: '' });
      await app.database.transaction(async (tx) => {
        for (let made = 0; made < 3000; made += 1) await recordAudit(tx, caller, entry, app.clock.now());
      });
      const first = await begin(port, ada);
      const { body, headers } = await app.request.get('/audit-logs/export').set(ada.auth).expect(429);
      expect(body).toMatchObject({ code: 'export_running', detail: expect.stringContaining('closing') });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      const other = await begin(port, ben);
      expect(other.answer.statusCode).toBe(200);
      other.asked.destroy();
      first.asked.destroy();
      await once(first.asked, 'close');
      await eventually(() => app.request.head('/audit-logs/export').set(ada.auth).expect(200));
      // one that asks for only the head leaves nothing behind
      await ask('action=nothing', ada).expect(200);
      await ask('action=nothing', ada).expect(200);
      server.closeAllConnections();
      server.close();
    });
  });

  describe('to a client that disconnects', () => {
    test('ends, and the service continues', async () => {
      const server = createServer(app.http).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const going = get({ port, path: '/audit-logs/export', headers: app.people.ada.auth });
      const [answer] = (await once(going, 'response')) as [IncomingMessage];
      await once(answer, 'readable');
      going.destroy();
      await once(going, 'close');
      await app.request.get('/spaces').set(app.people.ada.auth).expect(200);
      server.closeAllConnections();
      server.close();
      expect(app.logged().filter(({ event }) => event === 'request.unexpected_error')).toEqual([]);
    });
  });
});
