import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { readFacts } from './standing-facts.repository.js';
import { standingRowsOf } from './standing-rows.service.js';
import {
  endPlansWithoutCsr,
  fqdnStandings,
  listPlannedAfter,
  lockStandings,
  noteRequestFailure,
  type StandingRow,
  storeStandings,
} from './standings.repository.js';

/** Updates the stored state of FQDNs, in the transaction that changes them. */
export interface Standings {
  /** For these FQDNs; ids that do not exist are ignored. */
  refreshStates(tx: Tx, fqdnIds: readonly string[]): Promise<void>;
  /** For all FQDNs with a planned renewal, after all CSRs were deleted. */
  refreshStatesWithoutCsrs(tx: Tx): Promise<void>;
  /** For one FQDN, after a request for a certificate failed. */
  noteRequestFailure(tx: Tx, fqdnId: string, reason: string): Promise<void>;
}

// few enough that the statements of each number of rows stay prepared
const atOnce = 32;

const slice = 500;

export function createStandings(clock: Clock): Standings {
  const refreshStates: Standings['refreshStates'] = async (tx, fqdnIds) => {
    const ids = [...new Set(fqdnIds)];
    for (let start = 0; start < ids.length; start += atOnce) {
      await refreshSome(tx, ids.slice(start, start + atOnce), clock.now());
    }
  };
  return {
    refreshStates,
    refreshStatesWithoutCsrs: async (tx) => {
      await endPlansWithoutCsr(tx, clock.now());
      // the few whose renewal is running
      for (let last = ''; ; ) {
        const ids = await listPlannedAfter(tx, last, slice);
        await refreshStates(tx, ids);
        if (ids.length < slice) return;
        last = ids.at(-1) ?? '';
      }
    },
    noteRequestFailure: async (tx, id, reason) => {
      const failure = { at: clock.now(), reason };
      // one that an earlier version added has no standing yet
      if (!(await noteRequestFailure(tx, id, failure))) {
        await refreshStates(tx, [id]);
        await noteRequestFailure(tx, id, failure);
      }
      await refreshStates(tx, [id]);
    },
  };
}

async function refreshSome(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  // locked first, so that the second of two concurrent changes reads the result of the first
  const stored = await lockStandings(tx, ids);
  const rows = await standingRowsOf(tx, await readFacts(tx, ids), stored, now);
  await storeStandings(tx, changedOf(rows, stored));
}

/** The rows that differ from the stored ones. */
export function changedOf(rows: readonly StandingRow[], stored: readonly StandingRow[]): StandingRow[] {
  const before = new Map(stored.map((row) => [row.id, row]));
  return rows.filter((row) => !isSame(row, before.get(row.id)));
}

const compared = (Object.keys(fqdnStandings.columns) as (keyof StandingRow)[]).filter(
  (name) => name !== 'updatedAt',
);

function isSame(row: StandingRow, other: StandingRow | undefined): boolean {
  return other !== undefined && compared.every((name) => plainOf(row[name]) === plainOf(other[name]));
}

const plainOf = (value: StandingRow[keyof StandingRow]) => (value instanceof Date ? value.getTime() : value);
