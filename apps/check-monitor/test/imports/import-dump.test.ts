import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProjectChannels } from '../../src/channels/channels.repository.js';
import type { ImportReport } from '../../src/imports/import-report.js';
import { describeImport } from '../../src/imports/import-text.js';
import { findProjectByPingKey } from '../../src/projects/projects.repository.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { formerSecret, keys, readApi, readCheck, runImport, uuid } from './import-dump/dump-of-tests.js';
import { describeRefusedDumps } from './import-dump/refused-dump-tests.js';
import { describeRepetition } from './import-dump/repeated-import-tests.js';

describeEachDialect('import of a dump', (open) => {
  let app: TestApp;
  let report: ImportReport;
  const run = () => runImport(app);
  const get = (path: string, key: string) => readApi(app, path, key);
  const check = (end: string, key?: string) => readCheck(app, end, key);

  describe('of each kind of row', () => {
    beforeAll(async () => {
      app = await openTestApp(open, { formerSecret });
      report = await run();
    });
    afterAll(() => app.close());

    test('imports users with their limits, and without passwords', async () => {
      const users = await app.database.read((tx) =>
        tx.query('select email, check_limit, ping_limit, check_count from users order by email'),
      );
      expect(users.map((row: object) => Object.values(row))).toEqual([
        ['ada@example.org', 10_000, 1000, 7],
        ['ben@example.org', 20, 100, 1],
        ['cy@example.org', 20, 100, 0],
        ['dot@example.org', null, null, 0],
      ]);
      expect(report.withoutPassword[0]).toEqual({
        email: 'ada@example.org',
        command: 'check-monitor user password --email ada@example.org',
      });
      expect(report.withoutPassword).toHaveLength(4);
    });

    test('imports hashed and plain keys of both kinds', async () => {
      for (const { write, read } of Object.values(keys)) {
        await app.http.post('/api/v3/checks/').set('X-Api-Key', write).send('{"name":1}').expect(400);
        await get('/checks/', read).expect(200);
        await app.http.post('/api/v3/checks/').set('X-Api-Key', read).send('{}').expect(401);
      }
      expect(report.formerSecret.keys.map(({ kind, projectId }) => [kind, projectId])).toEqual([
        ['read-write', uuid('1')],
        ['read-only', uuid('1')],
      ]);
    });

    test('imports projects, unnamed ones under the address of the owner', async () => {
      const rows = await app.database.read((tx) =>
        tx.query('select name, badge_key, ping_key from projects order by id'),
      );
      const keyed = await app.database.read((tx) => findProjectByPingKey(tx, 'k3yk3yk3yk3yk3yk3yk3yk'));
      expect(keyed?.id).toBe(uuid('1'));
      expect(rows.map((row: object) => Object.values(row))).toEqual([
        ['ada@example.org', '1f0e3dad-9990-4345-b743-9f8ffa', null],
        ['Backups', uuid('2'), null],
        ["Ben's", '2c624232-cc22-4d1a-9d8b-3d1f6e', null],
      ]);
    });

    test('imports members, managers as members', async () => {
      const rows = await app.database.read((tx) =>
        tx.query('select u.email, m.role from members m join users u on u.id = m.user_id order by u.email'),
      );
      expect(rows.map((row: object) => Object.values(row))).toEqual([
        ['ben@example.org', 'member'],
        ['cy@example.org', 'read-only'],
        ['dot@example.org', 'member'],
      ]);
    });

    test('imports checks with settings, counts, last pings and status', async () => {
      expect(await check('101')).toMatchObject({
        name: 'Nightly backup',
        slug: 'nightly-backup',
        tags: 'prod db',
        desc: 'pg_dump of all',
        timeout: 3600,
        grace: 300,
        n_pings: 1234,
        status: 'up',
        last_ping: '2026-01-01T11:30:00+00:00',
        last_duration: 93_784,
        badge_url: expect.stringContaining(uuid('201')),
      });
      expect(await check('102')).toMatchObject({
        schedule: '15 5 * * 1-5',
        tz: 'Europe/Riga',
        methods: 'POST',
        manual_resume: true,
        status: 'new',
        start_kw: 'BEGIN',
        success_kw: 'OK, DONE',
        failure_kw: 'FAIL',
        filter_subject: true,
        filter_body: true,
        filter_http_body: true,
        filter_default_fail: true,
        n_pings: 0,
        last_ping: null,
      });
      expect(await check('103')).toMatchObject({ schedule: 'Mon..Fri *-*-* 04:00', tz: 'America/New_York' });
      expect(await check('104')).toMatchObject({ status: 'down', n_pings: 9 });
      expect(await check('105')).toMatchObject({ status: 'paused', manual_resume: true });
      expect(await check('106')).toMatchObject({ status: 'up', started: true, n_pings: 11 });
    });

    test('imports integrations of every supported kind, with their secrets', async () => {
      const channels = await app.database.read((tx) => listProjectChannels(tx, uuid('1')));
      const kinds = channels.map(({ kind }) => kind);
      expect(kinds.sort()).toEqual([
        'discord',
        'email',
        'email',
        'googlechat',
        'gotify',
        'group',
        'matrix',
        'mattermost',
        'msteamsw',
        'ntfy',
        'opsgenie',
        'pd',
        'po',
        'signal',
        'slack',
        'telegram',
        'webhook',
      ]);
      const find = (name: string) => channels.find((channel) => channel.name === name);
      expect(find('Ntfy')?.settings).toMatchObject({ token: 'tk_1', topic: 'jobs', priorityUp: 0 });
      expect(find('Everybody')?.settings).toEqual({ channels: [uuid('300'), uuid('30a')] });
      expect(find('Old mail')).toMatchObject({
        verifiedAt: null,
        disabledAt: 1_767_009_600_000_000,
        lastError: 'Delivery failed (550)',
        lastNotifiedAt: 1_767_009_600_000_000,
        lastDurationMs: 1250,
      });
      const mail = channels.find((channel) => channel.uuid === uuid('300'));
      expect(mail?.settings).toEqual({ address: 'ops@example.org', down: true, up: true, tz: 'Europe/Riga' });
      const { body } = await get('/channels/?include=state', keys.hashed.write);
      const cannotSend = 'Email notifications are not enabled.';
      const channel = { id: uuid('300'), name: '', kind: 'email', cannot_send: cannotSend };
      expect(body.channels).toContainEqual(channel);
    });

    test('assigns its integrations to each check', async () => {
      const channels = async (end: string) => (await check(end)).channels.split(',').filter(Boolean);
      expect(await channels('101')).toEqual([uuid('300'), uuid('301'), uuid('400')]);
      expect(await channels('102')).toEqual([uuid('302')]);
      expect(await channels('103')).toEqual([]);
      expect(report.silentChecks).toEqual([{ uuid: uuid('108'), name: 'Only by SMS', project: 'Backups' }]);
    });

    test('imports flips of the last 93 days in their order', async () => {
      const { body } = await get(`/checks/${uuid('101')}/flips/`, keys.hashed.write);
      expect(body).toEqual([
        { timestamp: '2025-10-01T13:00:00+00:00', up: 1 },
        { timestamp: '2025-10-01T12:00:00+00:00', up: 0 },
      ]);
      expect(report.counts.flips.created).toBe(6);
      expect(report.notCarriedOver).toContainEqual({ what: '1', reason: 'flips are older than 93 days' });
    });

    test('sends the alerts of a flip that were not sent by the source', async () => {
      const waiting = 'select 1 from flips where processed_at is null';
      expect(await app.database.read((tx) => executeSql(tx, waiting))).toBe(1);
      await app.tick();
      expect(await app.database.read((tx) => executeSql(tx, waiting))).toBe(0);
    });

    test('reports what is not imported, without any secret', async () => {
      const text = `${describeImport(report)}${JSON.stringify(report)}`;
      for (const kind of [
        'sms',
        'shell',
        'apprise',
        'call',
        'github',
        'pagertree',
        'pushbullet',
        'rocketchat',
      ]) {
        expect(text).toContain(`no integrations of the kind ${kind}`);
      }
      expect(text).toContain('ada@example.org: the second factor is not imported');
      expect(text).toContain('becomes a member');
      expect(text).toContain('its address is not verified');
      expect(text).toContain(`member ${uuid('30f')} of integration "Everybody"`);
      for (const secret of ['tk_1', 'bottoken', 'hooks.slack.com', 't0p', '+3712', keys.plain.write]) {
        expect(text).not.toContain(secret);
      }
    });

    test('keeps old addresses of pings, badges and links working', async () => {
      await app.http.get(`/ping/${uuid('101')}`).expect(200);
      await app.http.get('/ping/k3yk3yk3yk3yk3yk3yk3yk/cron').expect(200);
      expect((await check('101')).n_pings).toBe(1235);
      const { body } = await get(`/checks/${uuid('101')}/pings/`, keys.hashed.write);
      expect(body.pings).toEqual([expect.objectContaining({ n: 1235, type: 'success' })]);
      await app.http.get('/badge/1f0e3dad-9990-4345-b743-9f8ffa/tPspPXFY.json').expect(200);
      await app.http.get('/badge/1f0e3dad-9990-4345-b743-9f8ffa/5qOrrhpR-2/prod.svg').expect(200);
      await app.http.get(`/badge/${uuid('2')}/D7fuOhGC/prod.shields`).expect(200);
      await app.http.get(`/badge/${uuid('2')}/D7fuOhGX/prod.shields`).expect(404);
      await app.http.get(`/b/3/${uuid('201')}.svg`).expect(200);
      await app.http.get(`/projects/${uuid('1')}/metrics/${keys.hashed.read}`).expect(200);
      const token = '90ad509310e97a9530454960c386748e5bad9d460703b2a4563f49abf534f20a';
      const link = `/integrations/${uuid('300')}/unsub/${token}:1xV7iE:PBnP8HQUci1gpUk6MgLi5dUV0h78SzJ7inrvIm5HnlA/`;
      await app.http.get(link).expect(200);
    });
  });
  describeRepetition(open);
  describeRefusedDumps(open);
});
