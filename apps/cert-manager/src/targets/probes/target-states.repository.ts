import type { probeFailures, probeStages, ServedAddress } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRows,
  insertMany,
  querySql,
  type RowOf,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';
import type { AddressState } from './address-state.js';

export const targetStates = defineTable('target_states', {
  columns: {
    targetId: column.uuid().primary(),
    /** Empty where the host has no address. */
    address: column.word(45).primary(),
    class: column.word<AddressState['class']>(20),
    since: column.instant(),
    failingSince: column.instant().nullable(),
    misses: column.integer(),
    /** Hex; null without a handshake, as all that follows of a certificate. */
    serialNumber: column.word(64).nullable(),
    /** SHA-256 over the DER of the certificate and over its SubjectPublicKeyInfo, hex. */
    leafSha256: column.word(64).nullable(),
    spkiSha256: column.word(64).nullable(),
    issuer: column.text().nullable(),
    notBefore: column.instant().nullable(),
    notAfter: column.instant().nullable(),
    /** Step and reason where there was no handshake. */
    stage: column.word<(typeof probeStages)[number]>(16).nullable(),
    failure: column.word<(typeof probeFailures)[number]>(32).nullable(),
    /** Why the chain is at fault. */
    detail: column.text().nullable(),
    observedAt: column.instant(),
    observer: column.word<ServedAddress['observer']>(8),
  },
  references: [{ columns: ['targetId'], table: 'targets', onDelete: 'CASCADE' }],
});

/** State of an address of a target. */
export type TargetStateRow = RowOf<typeof targetStates>;

/** States of the targets' addresses, by target and address. */
export async function listStates(
  tx: Tx,
  targets: readonly { readonly id: string }[],
): Promise<TargetStateRow[]> {
  if (targets.length === 0) return [];
  const order = { by: ['targetId', 'address'], direction: 'asc' } as const;
  return findRows(tx, targetStates, { targetId: targets.map(({ id }) => id) }, { order });
}

export async function deleteStates(tx: Tx, targetId: string): Promise<void> {
  await deleteRows(tx, targetStates, { targetId });
}

/** Replaces the states of these addresses of a target, and removes those of the others named. */
export async function replaceStates(
  tx: Tx,
  targetId: string,
  rows: readonly TargetStateRow[],
  gone: readonly string[],
): Promise<void> {
  const addresses = [...rows.map(({ address }) => address), ...gone];
  if (addresses.length > 0) await deleteRows(tx, targetStates, { targetId, address: In(addresses) });
  if (rows.length > 0) await insertMany(tx, targetStates, rows);
}

// a scrape must cost the same however many there are
const maxCounted = 100_000;

/** Addresses of targets that are switched on, by class, of up to 100,000. */
export function countServedAddresses(
  tx: Tx,
): Promise<{ readonly class: TargetStateRow['class']; readonly count: number }[]> {
  const columns = { class: targetStates.columns.class, count: column.bigint() };
  return querySql(
    tx,
    columns,
    `select class, count(*) as count from (
       select s.class from target_states s join targets t on t.id = s.target_id
       where t.enabled = true limit ${maxCounted}) as counted group by class order by class`,
  );
}
