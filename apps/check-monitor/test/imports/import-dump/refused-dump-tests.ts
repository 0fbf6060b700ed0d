import { executeSql } from '@certloop/db';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importDump } from '../../../src/imports/import-dump.service.js';
import { describeImport } from '../../../src/imports/import-text.js';
import { type DeliveryOptions, openTestApp, type TestApp } from '../../support/app.js';
import { snapshot, writeDump } from '../../support/dump.js';
import { choices, file, type ImportChanges, runImport } from './dump-of-tests.js';

/** Tests of dumps that are refused, whole or in part. */
export function describeRefusedDumps(open: OpenTestDatabase): void {
  let app: TestApp;
  const run = (changes?: ImportChanges) => runImport(app, changes);

  describe('that is refused', () => {
    beforeEach(async () => {
      app = await openTestApp(open);
    });
    afterEach(() => app.close());

    test('names integrations that could not send from here, and the settings that they need', async () => {
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
      ['that is empty', () => false, 'has no users (auth.user)'],
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

    test('rejects a missing file', async () => {
      await expect(run({ file: '/nowhere/dump.json' })).rejects.toThrow('cannot be read: ENOENT');
    });
  });
}
