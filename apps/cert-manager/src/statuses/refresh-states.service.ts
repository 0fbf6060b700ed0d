import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { type FqdnEvent, fqdnsOf } from '../fqdns/fqdns.service.js';
import { readFacts } from './status-facts.repository.js';
import { standingRowsOf } from './status-rows.service.js';
import {
  endPlansWithoutCsr,
  fqdnStandings,
  listPlannedAfter,
  lockStandings,
  noteRequestFailure,
  type StandingRow,
  storeStandings,
  switchPlans,
} from './statuses.repository.js';

interface WithClock {
  readonly clock: Clock;
}

// few enough that the statements of each number of rows stay prepared
const atOnce = 32;

const slice = 500;

/** Updates the stored states of the FQDNs that an event is about; those that do not exist are ignored. */
export function refreshStates(
  tx: Tx,
  event: FqdnEvent<{ readonly id: string }>,
  deps: WithClock,
): Promise<void> {
  return refreshStatesOf(
    tx,
    fqdnsOf(event).map(({ id }) => id),
    deps,
  );
}

/** Updates the stored states of these FQDNs; ids that do not exist are ignored. */
export async function refreshStatesOf(
  tx: Tx,
  fqdnIds: readonly string[],
  { clock }: WithClock,
): Promise<void> {
  const ids = [...new Set(fqdnIds)];
  for (let start = 0; start < ids.length; start += atOnce) {
    await refreshSome(tx, ids.slice(start, start + atOnce), clock.now());
  }
}

/** Updates the stored states of all FQDNs with a planned renewal, after all CSRs were deleted. */
export async function refreshStatesWithoutCsrs(tx: Tx, _event: object, { clock }: WithClock): Promise<void> {
  await endPlansWithoutCsr(tx, clock.now());
  // the few whose renewal is running
  for (let last = ''; ; ) {
    const ids = await listPlannedAfter(tx, last, slice);
    await refreshStatesOf(tx, ids, { clock });
    if (ids.length < slice) return;
    last = ids.at(-1) ?? '';
  }
}

/** Updates the stored states of FQDNs that a provider is to renew, after it was disabled or enabled. */
export async function refreshStatesOfProvider(
  tx: Tx,
  { providerId, isEnabled }: { readonly providerId: string; readonly isEnabled: boolean },
  { clock }: WithClock,
): Promise<void> {
  await switchPlans(tx, providerId, isEnabled, clock.now());
}

/** Stores why a request for a certificate of an FQDN failed, and updates its state. */
export async function storeRequestFailure(
  tx: Tx,
  { fqdn: { id }, reason }: { readonly fqdn: { readonly id: string }; readonly reason: string },
  { clock }: WithClock,
): Promise<void> {
  const failure = { at: clock.now(), reason };
  // one that an earlier version added has no standing yet
  if (!(await noteRequestFailure(tx, id, failure))) {
    await refreshStatesOf(tx, [id], { clock });
    await noteRequestFailure(tx, id, failure);
  }
  await refreshStatesOf(tx, [id], { clock });
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
