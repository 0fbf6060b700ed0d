import { fileURLToPath } from 'node:url';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { listProjectChannels } from '../../src/channels/channels.repository.js';
import { importDump } from '../../src/imports/import-dump.service.js';
import { describeImport, type ImportReport } from '../../src/imports/import-report.js';
import { type DeliveryOptions, openTestApp, type TestApp } from '../support/app.js';
import { snapshot, writeDump } from '../support/dump.js';

// Written by dumpdata of Django 5.2 over the models of Healthchecks at 29b5ec25, with SECRET_KEY "the former secret".
const file = fileURLToPath(new URL('../../../test/data/healthchecks/dump.json', import.meta.url));
const formerSecret = 'the former secret';
const uuid = (end: string) => `00000000-0000-4000-8000-${end.padStart(12, '0')}`;
const keys = {
  hashed: { write: 'hcw_oxkuiGdUi8zDsOv3p2qu4LEqkpaw', read: 'hcr_LHxCtYN3rh8jZT8Xb4Q5JpkThu69' },
  plain: { write: 'Pl41nReadWriteKeyOf32Characters1', read: 'Pl41nReadOnlyKeyOf32Characters_2' },
};
const choices = { isDryRun: false, skipsFaulty: false };

describeEachDialect('import of a dump', (open) => {
  let app: TestApp;
  let report: ImportReport;
  const deps = () => ({ ...app.accounts, formerSecret });
  const run = (changes: Partial<Parameters<typeof importDump>[1]> = {}) =>
    importDump(deps(), { file, ...choices, ...changes });
  const get = (path: string, key: string) => app.http.get(`/api/v3${path}`).set('X-Api-Key', key);
  const check = async (end: string, key = keys.hashed.write) => (await get(`/checks/${uuid(end)}`, key)).body;

  describe('of each kind of row', () => {
    beforeAll(async () => {
      app = await openTestApp(open, { formerSecret });
      report = await run();
    });
    afterAll(() => app.close());

    test('brings users with their limits, and without passwords', async () => {
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

    test('brings hashed and plain keys of both kinds', async () => {
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

    test('brings projects, unnamed ones under the address of the owner', async () => {
      const rows = await app.database.read((tx) =>
        tx.query('select name, badge_key, ping_key from projects order by id'),
      );
      expect(rows.map((row: object) => Object.values(row))).toEqual([
        ['ada@example.org', '1f0e3dad-9990-4345-b743-9f8ffa', 'k3yk3yk3yk3yk3yk3yk3yk'],
        ['Backups', uuid('2'), null],
        ["Ben's", '2c624232-cc22-4d1a-9d8b-3d1f6e', null],
      ]);
    });

    test('brings members, managers as members', async () => {
      const rows = await app.database.read((tx) =>
        tx.query('select u.email, m.role from members m join users u on u.id = m.user_id order by u.email'),
      );
      expect(rows.map((row: object) => Object.values(row))).toEqual([
        ['ben@example.org', 'member'],
        ['cy@example.org', 'read-only'],
        ['dot@example.org', 'member'],
      ]);
    });

    test('brings checks with settings, counts, last pings and status', async () => {
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

    test('brings integrations of every kind that is here, with their secrets', async () => {
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
      const { body } = await get('/channels/', keys.hashed.write);
      const cannotSend = 'Email notifications are not enabled.';
      const channel = { id: uuid('300'), name: '', kind: 'email', cannot_send: cannotSend };
      expect(body.channels).toContainEqual(channel);
    });

    test('assigns to each check the integrations that it had', async () => {
      const channels = async (end: string) => (await check(end)).channels.split(',').filter(Boolean);
      expect(await channels('101')).toEqual([uuid('300'), uuid('301'), uuid('400')]);
      expect(await channels('102')).toEqual([uuid('302')]);
      expect(await channels('103')).toEqual([]);
      expect(report.silentChecks).toEqual([{ uuid: uuid('108'), name: 'Only by SMS', project: 'Backups' }]);
    });

    test('brings flips of the last 93 days in their order', async () => {
      const { body } = await get(`/checks/${uuid('101')}/flips/`, keys.hashed.write);
      expect(body).toEqual([
        { timestamp: '2025-10-01T13:00:00+00:00', up: 1 },
        { timestamp: '2025-10-01T12:00:00+00:00', up: 0 },
      ]);
      expect(report.counts.flips.created).toBe(6);
      expect(report.notCarriedOver).toContainEqual({ what: '1', reason: 'flips are older than 93 days' });
    });

    test('sends the alerts of a flip that were not sent there', async () => {
      const waiting = 'select 1 from flips where processed_at is null';
      expect(await app.database.read((tx) => executeSql(tx, waiting))).toBe(1);
      await app.tick();
      expect(await app.database.read((tx) => executeSql(tx, waiting))).toBe(0);
    });

    test('reports what does not come along, without any secret', async () => {
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
      expect(text).toContain('ada@example.org: the second factor does not come along');
      expect(text).toContain('becomes a member');
      expect(text).toContain('its address is not verified');
      expect(text).toContain(`member ${uuid('30f')} of integration "Everybody"`);
      for (const secret of ['tk_1', 'bottoken', 'hooks.slack.com', 't0p', '+3712', keys.plain.write]) {
        expect(text).not.toContain(secret);
      }
    });

    test('lets old addresses of pings, badges and links answer', async () => {
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

  describe('run again', () => {
    beforeEach(async () => {
      app = await openTestApp(open, { formerSecret });
      await run();
    });
    afterEach(() => app.close());

    test('changes nothing', async () => {
      const before = await snapshot(app.database);
      const { counts } = await run();
      expect(await snapshot(app.database)).toEqual(before);
      for (const count of Object.values(counts))
        expect(count).toMatchObject({ created: 0, updated: 0, left: 0 });
    });

    test('brings what was never pinged here up to date, its flips too', async () => {
      const { file: newer } = await writeDump(file, (row) => {
        const { fields } = row;
        if (row.model === 'api.check' && row.pk === 4) {
          Object.assign(fields, {
            status: 'up',
            n_pings: 10,
            last_ping: '2026-01-01T11:59:00Z',
            tags: 'new',
          });
        }
        if (row.model === 'api.flip' && row.pk === 5) {
          const created = '2026-01-01T11:59:00Z';
          return [
            row,
            { ...row, pk: 99, fields: { ...fields, created, old_status: 'down', new_status: 'up' } },
          ];
        }
        if (row.model === 'api.channel' && fields['name'] === 'Ntfy')
          Object.assign(fields, { name: 'Phone', checks: [4] });
        return [row];
      });
      const { counts } = await run({ file: newer });
      expect(counts.checks).toMatchObject({ updated: 1, unchanged: 7 });
      expect(counts.integrations).toMatchObject({ updated: 1, created: 0 });
      expect(counts.flips).toMatchObject({ created: 1, unchanged: 6 });
      expect(await check('104')).toMatchObject({ status: 'up', n_pings: 10, tags: 'new' });
      expect((await check('104')).channels).toContain(uuid('30a'));
    });

    test('gives a project to its new owner, who was a member', async () => {
      const { file: newer } = await writeDump(file, (row) => {
        if (row.model === 'accounts.project' && row.pk === 1) Object.assign(row.fields, { owner: 2 });
        if (row.model === 'accounts.member' && row.pk === 1) Object.assign(row.fields, { user: 1 });
        return [row];
      });
      const { counts } = await run({ file: newer });
      expect(counts.projects).toMatchObject({ updated: 1, unchanged: 2 });
      const { users, members } = await snapshot(app.database);
      const counted = users?.map((user) => {
        const { email, check_count: count } = user as { email: string; check_count: number };
        return [email, count];
      });
      expect(counted).toContainEqual(['ada@example.org', 1]);
      expect(counted).toContainEqual(['ben@example.org', 6 + 1]);
      expect(members).toHaveLength(3);
    });

    test('leaves what was pinged here as it is, and the settings of its project', async () => {
      await app.http.get(`/ping/${uuid('104')}`).expect(200);
      const { file: newer } = await writeDump(file, (row) => {
        if (row.model === 'api.check') Object.assign(row.fields, { name: 'From there', n_pings: 5000 });
        if (row.model === 'accounts.project') Object.assign(row.fields, { name: 'From there' });
        return [row];
      });
      const { counts } = await run({ file: newer });
      expect(counts.checks).toMatchObject({ left: 1, updated: 7 });
      expect(counts.projects).toMatchObject({ left: 1, updated: 2 });
      expect(await check('104')).toMatchObject({ name: 'Down', n_pings: 10, status: 'up' });
      expect(await check('101')).toMatchObject({ name: 'From there', n_pings: 5000 });
    });
  });

  describe('that is refused', () => {
    beforeEach(async () => {
      app = await openTestApp(open);
    });
    afterEach(() => app.close());

    test('names integrations that would send nothing from here, and the settings that make them', async () => {
      const resolve: DeliveryOptions['resolve'] = (host, _options, done) =>
        done(null, [{ address: host === 'ntfy.example' ? '10.0.0.8' : '93.184.216.34', family: 4 }]);
      const delivery = {
        allowPrivateTargets: false,
        resolve,
        senderAccounts: { telegramToken: 'token' },
      };
      const guarded = await openTestApp(open, {}, delivery);
      const { file: inside } = await writeDump(file, (row) => {
        if (row.model === 'api.channel' && row.fields['kind'] === 'gotify')
          Object.assign(row.fields, { value: JSON.stringify({ token: 'AbCd', url: 'http://192.168.1.2' }) });
        return [row];
      });
      const dry = await importDump(guarded.accounts, { file: inside, ...choices, isDryRun: true });
      await guarded.close();
      const said = dry.undeliverable.map(({ what, reason }) => `${what}: ${reason}`);
      expect(said).toHaveLength(6);
      expect(said.slice(0, 4)).toEqual([
        '2 of kind email: Email is not set up here: CHECK_MONITOR_SMTP_URL',
        '1 of kind matrix: Matrix is not set up here: CHECK_MONITOR_MATRIX_HOMESERVER and its access token',
        '1 of kind signal: Signal is not set up here: CHECK_MONITOR_SIGNAL_SOCKET',
        '1 of kind po: Pushover is not set up here: CHECK_MONITOR_PUSHOVER_TOKEN',
      ]);
      for (const [place, kind] of ['gotify', 'ntfy'].entries()) {
        expect(said[4 + place]).toContain(`(${kind}, `);
        expect(said[4 + place]).toContain('CHECK_MONITOR_ALLOW_PRIVATE_TARGETS=true allows it');
        expect(describeImport(dry)).toContain(`  ${said[4 + place]}\n`);
      }
    });

    test('changes nothing when it is a dry run, which says what fails without the former secret', async () => {
      const before = await snapshot(app.database);
      const dry = await importDump(app.accounts, { file, ...choices, isDryRun: true });
      expect(await snapshot(app.database)).toEqual(before);
      expect(dry).toMatchObject({ outcome: 'dry run', formerSecret: { isSet: false } });
      expect(dry.formerSecret.badges).toHaveLength(3);
      expect(describeImport(dry)).toContain('CHECK_MONITOR_FORMER_SECRET is not set');
    });

    test('names the rows at fault and changes nothing, or leaves them out when asked to', async () => {
      const { file: faulty } = await writeDump(file, (row) => {
        if (row.model === 'api.check' && row.pk === 2) Object.assign(row.fields, { schedule: 'often' });
        return [row];
      });
      const before = await snapshot(app.database);
      const refused = await run({ file: faulty });
      expect(refused).toMatchObject({ outcome: 'refused', faultCount: 1 });
      expect(refused.faults).toEqual(['api.check 2: schedule: is not a valid cron expression']);
      expect(await snapshot(app.database)).toEqual(before);

      const skipped = await run({ file: faulty, skipsFaulty: true });
      expect(skipped).toMatchObject({ outcome: 'imported', counts: { checks: { created: 7 } } });
    });

    test('imports once when it runs twice at the same time', async () => {
      const runs = await Promise.allSettled([run(), run()]);
      expect(runs.some(({ status }) => status === 'fulfilled')).toBe(true);
      for (const one of runs) {
        if (one.status === 'rejected') expect(one.reason).toHaveProperty('code', 'conflict');
      }
      const { counts } = await run();
      expect(counts.users).toMatchObject({ unchanged: 4, created: 0 });
      expect(counts.checks).toMatchObject({ unchanged: 8, created: 0 });
      expect(counts.flips).toMatchObject({ unchanged: 6, created: 0 });
    });

    test('refuses what belongs to others here', async () => {
      const { keys: own } = await app.newProject();
      await app.database.transaction(async (tx) => {
        const taken = 'update projects set ping_key = $1 where id = $2';
        await executeSql(tx, taken, ['k3yk3yk3yk3yk3yk3yk3yk', own.projectId]);
      });
      const { faults } = await run();
      expect(faults[0]).toBe('accounts.project 1: ping_key: another project here has it');
    });

    test('names the fault of the only user instead of saying that the dump has none', async () => {
      const row = { model: 'auth.user', pk: 1, fields: { email: 'ada@example.org' } };
      const refused = await run({ file: (await writeDump(JSON.stringify([row]))).file });
      expect(refused).toMatchObject({ outcome: 'refused', faultCount: 1 });
      expect(refused.faults[0]).toMatch(/^auth\.user 1: date_joined: /);
    });

    test.each([
      ['without users', (row: { model: string }) => row.model !== 'auth.user', 'has no users (auth.user)'],
      ['of nothing', () => false, 'has no users (auth.user)'],
    ])('refuses a dump %s, naming the command', async (_situation, isCopied, reason) => {
      const { file: partial } = await writeDump(file, (row) => (isCopied(row) ? [row] : []));
      await expect(run({ file: partial })).rejects.toThrow(reason);
      await expect(run({ file: partial })).rejects.toThrow('manage.py dumpdata auth.user accounts api');
    });

    test.each([
      ['that ends in the middle', '[{"model": "auth.user", "pk": 1', 'ends in the middle'],
      ['that is not an array', '{"model": "auth.user"}', 'is not an array'],
      ['that is not JSON', 'BEGIN; INSERT', 'is not JSON'],
      ['that is empty', '', 'ends in the middle'],
    ])('refuses a file %s', async (_situation, text, reason) => {
      await expect(run({ file: (await writeDump(text)).file })).rejects.toThrow(reason);
    });

    test('refuses a file that is not there', async () => {
      await expect(run({ file: '/nowhere/dump.json' })).rejects.toThrow('cannot be read: ENOENT');
    });
  });
});
