import type { Tx } from '@certloop/db';
import { insertFlips } from '../flips/flips.repository.js';
import type { DumpRow } from './dump/dump-rows.js';
import { listFlipsWithin } from './import.repository.js';
import { dayMicros, type ImportRun } from './import-run.js';

const maxAgeDays = 93;

/**
 * Imports some flips of the last 93 days. If Healthchecks had not yet sent the alerts of a flip of the last day, they are
 * sent here: an alert twice is better than none. Older flips are history.
 */
export async function importFlips(
  tx: Tx,
  run: ImportRun,
  rows: readonly DumpRow<'api.flip'>[],
): Promise<void> {
  const recent = rows.filter(({ created }) => created >= run.now - maxAgeDays * dayMicros);
  const old = rows.length - recent.length;
  if (old > 0) run.tally.ignore(`flips are older than ${maxAgeDays} days`, old);
  const wanted = recent.flatMap((row) => {
    const check = run.checks.get(row.owner);
    if (check === undefined)
      run.tally.fault(
        `api.flip ${row.pk}: owner: check ${row.owner} is not in the dump or cannot be imported`,
      );
    if (check?.state === 'live') run.tally.count('flips', 'left');
    return check === undefined || check.state === 'live' ? [] : [{ row, check }];
  });
  const knownIds = [
    ...new Set(wanted.filter(({ check }) => check.state === 'known').map(({ check }) => check.id)),
  ];
  const present = await presentFlips(tx, knownIds, recent);
  const added = wanted
    .map(({ row, check }) => ({
      checkId: check.id,
      at: row.created,
      oldStatus: row.old_status,
      newStatus: row.new_status,
      reason: row.reason,
      processedAt: row.processed ?? (row.created >= run.now - dayMicros ? null : row.created),
    }))
    .filter((flip) => !present.has(keyOf(flip)));
  await insertFlips(tx, added);
  run.tally.count('flips', 'created', added.length);
  run.tally.count('flips', 'unchanged', wanted.length - added.length);
}

async function presentFlips(
  tx: Tx,
  checkIds: readonly number[],
  rows: readonly DumpRow<'api.flip'>[],
): Promise<Set<string>> {
  if (checkIds.length === 0) return new Set();
  const times = rows.map(({ created }) => created);
  const span = { from: Math.min(...times), to: Math.max(...times) };
  return new Set((await listFlipsWithin(tx, checkIds, span)).map(keyOf));
}

interface FlipKey {
  readonly checkId: number;
  readonly at: number;
  readonly oldStatus: string;
  readonly newStatus: string;
}

function keyOf({ checkId, at, oldStatus, newStatus }: FlipKey): string {
  return `${checkId} ${at} ${oldStatus} ${newStatus}`;
}
