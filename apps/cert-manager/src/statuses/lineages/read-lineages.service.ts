import type { Tx } from '@certloop/db';
import { endOfLineage } from '../../front/lineages/lineage-ends.js';
import { type LineageRow, listLineagesOf, listLineagesWith } from '../../front/lineages.repository.js';
import { type Lineage, worstFirst } from './lineage.js';
import type { SpokenLineages } from './lineage-text.js';
import type { StoredLineages } from './stored-lineages.js';

/** The lineages of FQDNs that are expected to renew, by the ids of the FQDNs, the worst first. */
export async function readLineages(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Lineage[]>> {
  if (fqdnIds.length === 0) return new Map();
  const found = new Map<string, Lineage[]>();
  for (const row of await listLineagesOf(tx, fqdnIds)) {
    if (endOfLineage(row) !== undefined) continue;
    const others = found.get(row.fqdnId);
    if (others === undefined) found.set(row.fqdnId, [lineageFrom(row)]);
    else others.push(lineageFrom(row));
  }
  return new Map([...found].map(([id, lineages]) => [id, worstFirst(lineages)]));
}

/**
 * Names that certificates of lineages cover besides their FQDN, by the ids of the FQDNs: of lineages that are expected to renew.
 */
export async function readCoveredNames(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, Set<string>>();
  for (const row of await listLineagesOf(tx, fqdnIds)) {
    if (endOfLineage(row) !== undefined) continue;
    const found = names.get(row.fqdnId) ?? new Set();
    for (const { value } of row.identifiers) {
      if (value !== row.fqdn || value.startsWith('*.')) found.add(value);
    }
    names.set(row.fqdnId, found);
  }
  return new Map([...names].map(([id, found]) => [id, [...found]]));
}

/** Lineages by the key under which they are stored, as of now: when their clients were last seen changes without an event. */
export async function readSpoken<Key>(
  tx: Tx,
  stored: ReadonlyMap<Key, StoredLineages>,
): Promise<ReadonlyMap<Key, SpokenLineages>> {
  const ids = [...stored.values()].flatMap(({ certificateIds }) => certificateIds);
  if (ids.length === 0) return new Map();
  const rows = await listLineagesWith(tx, [...new Set(ids)]);
  const lineages = new Map(rows.map((row) => [row.certificateId, lineageFrom(row)]));
  return new Map(
    [...stored].flatMap(([key, { count, certificateIds }]) => {
      const [worst, ...others] = certificateIds.flatMap((id) => lineages.get(id) ?? []);
      return worst === undefined ? [] : [[key, { lineages: [worst, ...others], count }] as const];
    }),
  );
}

export function lineageFrom(row: LineageRow): Lineage {
  const { clientId, clientName, accountId, certificateId, lineage, notBefore } = row;
  if (certificateId === null || lineage === null || notBefore === null)
    throw new RangeError('an issued order has a certificate');
  const { certificateExpiresAt: expiresAt, revokedAt } = row;
  return {
    lineage,
    fqdn: row.fqdn,
    client: { id: clientId, name: clientName ?? '' },
    accountId,
    userAgent: row.accountUserAgent,
    seenAt: row.accountSeenAt,
    ipAddress: row.accountIpAddress,
    certificate: { id: certificateId, serialNumber: row.serialNumber ?? '', notBefore, expiresAt, revokedAt },
    windowEnd: row.infoWindowEnd ?? undefined,
    failure: failureOf(row),
  };
}

function failureOf({
  id,
  lastId,
  lastState,
  lastProblem,
  lastEndedAt,
  createdAt,
}: LineageRow): Lineage['failure'] {
  if (lastId === id || lastState !== 'invalid') return undefined;
  return { at: lastEndedAt ?? createdAt, reason: lastProblem?.detail ?? 'the order is invalid' };
}
