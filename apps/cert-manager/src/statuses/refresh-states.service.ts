import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { type FqdnEvent, fqdnsOf } from '../fqdns/fqdns.service.js';
import { storeCoveredNames } from './lineages/covered-names.repository.js';
import { readCoveredNames } from './lineages/read-lineages.service.js';
import { readFacts } from './status-facts.repository.js';
import { statusRowsOf } from './status-rows.service.js';
import {
  endPlansWithoutCsr,
  type FqdnStatusRow,
  fqdnStatuses,
  listPlannedAfter,
  lockStatuses,
  noteRequestFailure,
  storeStatuses,
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

/** Updates the stored states of FQDNs that ACME clients renew, or did, and which other names their certificates cover. */
export async function refreshLineages(
  tx: Tx,
  { fqdns }: { readonly fqdns: readonly { readonly id: string }[] },
  deps: WithClock,
): Promise<void> {
  const ids = fqdns.map(({ id }) => id);
  await refreshStatesOf(tx, ids, deps);
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    await storeCoveredNames(tx, some, await readCoveredNames(tx, some));
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
  // one that an earlier version added has no status yet
  if (!(await noteRequestFailure(tx, id, failure))) {
    await refreshStatesOf(tx, [id], { clock });
    await noteRequestFailure(tx, id, failure);
  }
  await refreshStatesOf(tx, [id], { clock });
}

async function refreshSome(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  // locked first, so that the second of two concurrent changes reads the result of the first
  const stored = await lockStatuses(tx, ids);
  const rows = await statusRowsOf(tx, await readFacts(tx, ids), stored, now);
  await storeStatuses(tx, changedOf(rows, stored));
}

/** The rows that differ from the stored ones. */
export function changedOf(rows: readonly FqdnStatusRow[], stored: readonly FqdnStatusRow[]): FqdnStatusRow[] {
  const before = new Map(stored.map((row) => [row.id, row]));
  return rows.filter((row) => !isSame(row, before.get(row.id)));
}

const compared = (Object.keys(fqdnStatuses.columns) as (keyof FqdnStatusRow)[]).filter(
  (name) => name !== 'updatedAt',
);

function isSame(row: FqdnStatusRow, other: FqdnStatusRow | undefined): boolean {
  return other !== undefined && compared.every((name) => plainOf(row[name]) === plainOf(other[name]));
}

const plainOf = (value: FqdnStatusRow[keyof FqdnStatusRow]) =>
  value instanceof Date ? value.getTime() : value;
