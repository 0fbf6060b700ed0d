import { excessMs } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { watchStretches } from '@certloop/server/testing';
import { expect, test } from 'vitest';
import { importDump } from '../../src/imports/import-dump.service.js';
import { openTestApp } from '../support/app.js';
import { generateDump, writeDump } from '../support/dump.js';
import { choices } from './import-dump/dump-of-tests.js';

const count = 5_000;

describeEachDialect('an import of 5,000 checks', (open) => {
  /** The longest stretch of an import, and of the same one again, in CPU milliseconds. */
  async function importTwice(): Promise<number> {
    const app = await openTestApp(open);
    const { file: whole } = await generateDump(count, app.accounts.secret, app.clock.now());
    const isFirstFlip = (model: string, pk: number) => model !== 'api.flip' || pk % 10 === 0;
    const { file } = await writeDump(whole, (row) => (isFirstFlip(row.model, row.pk) ? [row] : []));
    // what runs for the first time is compiled first
    const small = await generateDump(200, app.accounts.secret, app.clock.now());
    await importDump(app.accounts, { ...choices, file: small.file, isDryRun: true });

    const importBeside = async () => {
      const stretches = watchStretches();
      const { outcome, counts } = await importDump(app.accounts, { ...choices, file });
      return { outcome, checks: counts.checks, flips: counts.flips, maxMs: (await stretches.stop()) ?? 0 };
    };
    const first = await importBeside();
    const none = { created: 0, updated: 0, unchanged: 0, left: 0 };
    const created = { ...none, created: count };
    expect(first).toMatchObject({ outcome: 'imported', checks: created, flips: created });
    const again = await importBeside();
    const unchanged = { ...none, unchanged: count };
    expect(again).toMatchObject({ outcome: 'imported', checks: unchanged, flips: unchanged });
    await app.close();
    return Math.max(first.maxMs, again.maxMs);
  }

  test('gives the event loop turns in between, and so does the same import again', async () => {
    expect(await excessMs(50, importTwice)).toBeUndefined();
  });
});
