import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { snapshot, writeDump } from '../../support/dump.js';
import { file, formerSecret, type ImportChanges, readCheck, runImport, uuid } from './dump-of-tests.js';

/** Tests of a second import of a dump. */
export function describeRepetition(open: OpenTestDatabase): void {
  let app: TestApp;
  const run = (changes?: ImportChanges) => runImport(app, changes);
  const check = (end: string) => readCheck(app, end);

  describe('repeated', () => {
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

    test('updates checks that were never pinged here, and their flips', async () => {
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

    test('changes the owner of a project to a former member', async () => {
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

    test('does not change checks that were pinged here, nor the settings of their project', async () => {
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
}
