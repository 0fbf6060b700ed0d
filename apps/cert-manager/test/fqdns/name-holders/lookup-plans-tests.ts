import { randomUUID } from 'node:crypto';
import { executeSql, insertMany, newRowId, type Tx } from '@certloop/db';
import { expect, test } from 'vitest';
import { type FqdnRow, fqdns } from '../../../src/fqdns/fqdns.repository.js';
import { findHolders, holdNames } from '../../../src/fqdns/holders/name-holders.repository.js';
import { addSpace } from '../../support/inventory.js';
import type { HoldersPlace } from './holders-place.js';

/** How the database finds who holds names. */
export function testLookups(place: HoldersPlace): void {
  test.each([false, true])(
    'reads indexes alone among many names, with statistics: %s',
    async (isAnalyzed) => {
      const { app } = place;
      const { id: spaceId } = await addSpace(app);
      const rows = Array.from({ length: 3_000 }, (_, index) =>
        rowOf(spaceId, `n${index}.${randomUUID()}.test`),
      );
      await app.database.transaction(async (tx) => {
        await insertMany(tx, fqdns, rows);
        for (let start = 0; start < rows.length; start += 500) {
          await holdNames(tx, rows.slice(start, start + 500), app.clock.now());
        }
        if (isAnalyzed) await executeSql(tx, 'analyze');
      });
      const names = rows.slice(0, 5).flatMap(({ fqdn }) => [fqdn, fqdn.replace(/^[^.]+/, '*')]);
      const { plans, found } = await app.database.transaction(async (tx) => {
        // PostgreSQL prefers to read a table of so few pages whole: whether it can use the indexes is what counts
        if (!app.database.dialect.capabilities.isEmbedded)
          await executeSql(tx, 'set local enable_seqscan = off');
        return planned(tx, () => findHolders(tx, names));
      });
      expect(found.byName.size).toBe(5);
      expect(found.spacesBelow.size).toBe(5);
      expect(plans).toHaveLength(2);
      expect(plans[0]).toMatch(/pk_name_holders|sqlite_autoindex_name_holders_1/);
      expect(plans[1]).toContain('ix_name_holders_parent_space_id');
      for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on name_holders|SCAN h\b/);
    },
  );
}

function rowOf(spaceId: string, fqdn: string): FqdnRow {
  const createdAt = new Date('2026-03-01T12:00:00Z');
  const rest = {
    description: '',
    providerId: null,
    renewalEnabled: false,
    renewAfterPermille: null,
    owner: null,
    tags: null,
  };
  return { id: newRowId(createdAt), spaceId, fqdn, ...rest, expiryAcceptedUntil: null, createdAt };
}

/** What the work returns, and how the database executes each of its statements. */
async function planned<T>(tx: Tx, work: () => Promise<T>): Promise<{ plans: string[]; found: T }> {
  const { queryRunner: runner } = tx;
  if (runner === undefined) throw new Error('a transaction has a query runner');
  const explain = tx.dataSource.options.type === 'better-sqlite3' ? 'explain query plan' : 'explain';
  const asked: [text: string, values: unknown[] | undefined][] = [];
  const query = runner.query.bind(runner) as typeof runner.query;
  runner.query = ((text: string, values?: unknown[], isStructured?: boolean) => {
    asked.push([text, values]);
    return isStructured === true ? query(text, values, true) : query(text, values);
  }) as typeof runner.query;
  const found = await work();
  runner.query = query;
  const plans: string[] = [];
  for (const [text, values] of asked) plans.push(JSON.stringify(await query(`${explain} ${text}`, values)));
  return { plans, found };
}
