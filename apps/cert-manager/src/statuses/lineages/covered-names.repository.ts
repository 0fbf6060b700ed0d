import {
  column,
  defineTable,
  deleteRows,
  findRow,
  findRows,
  insertMany,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';
import { type FqdnRow, fqdns } from '../../fqdns/fqdns.repository.js';
import { parentOf } from '../../fqdns/holders/held-name.js';

/** A name that a certificate of an ACME client covers besides its FQDN; wildcards as they are, also that of the FQDN. */
export const coveredNames = defineTable('covered_names', {
  columns: {
    /** FQDN of the certificate. */
    fqdnId: column.uuid().primary(),
    name: column.word(253).primary(),
    spaceId: column.uuid(),
  },
  indexes: [{ columns: ['spaceId', 'name'] }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** Stores which names the certificates of FQDNs cover; those of an FQDN that is not among `names` cover no others. */
export async function storeCoveredNames(
  tx: Tx,
  fqdnIds: readonly string[],
  names: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const stored = new Map<string, string[]>();
  for (const { fqdnId, name } of await findRows(tx, coveredNames, { fqdnId: fqdnIds })) {
    stored.set(fqdnId, [...(stored.get(fqdnId) ?? []), name]);
  }
  for (const id of fqdnIds) {
    const before = stored.get(id) ?? [];
    const now = names.get(id) ?? [];
    const ended = before.filter((name) => !now.includes(name));
    if (ended.length > 0) await deleteRows(tx, coveredNames, { fqdnId: id, name: In(ended) });
    const added = now.filter((name) => !before.includes(name));
    if (added.length > 0) await addNames(tx, id, added);
  }
}

async function addNames(tx: Tx, id: string, names: readonly string[]): Promise<void> {
  const fqdn = await findRow(tx, fqdns, { id });
  // deleted before its orders
  if (fqdn === undefined) return;
  await insertMany(
    tx,
    coveredNames,
    names.map((name) => ({ fqdnId: id, name, spaceId: fqdn.spaceId })),
  );
}

const foundColumns = { ...coveredNames.columns, fqdn: column.word(253) };

/** The FQDN of a certificate that covers each FQDN, by the ids of those that have one. */
export async function findCovering(
  tx: Tx,
  covered: readonly Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly fqdn: string }>> {
  if (covered.length === 0) return new Map();
  const spaceIds = [...new Set(covered.map(({ spaceId }) => spaceId))];
  const names = [...new Set(covered.flatMap(({ fqdn }) => coveringNames(fqdn)))];
  const text = `select n.fqdn_id, n.space_id, n.name, f.fqdn from covered_names n join fqdns f on f.id = n.fqdn_id
    where n.space_id in (${placeholders(spaceIds.length)})
      and n.name in (${placeholders(names.length, spaceIds.length + 1)}) order by f.fqdn`;
  const rows = await querySql<RowOf<{ columns: typeof foundColumns }>>(tx, foundColumns, text, [
    ...spaceIds,
    ...names,
  ]);
  return new Map(
    covered.flatMap(({ id, spaceId, fqdn }) => {
      const possible = coveringNames(fqdn);
      const row = rows.find(
        (one) => one.spaceId === spaceId && one.fqdnId !== id && possible.includes(one.name),
      );
      return row === undefined ? [] : [[id, { id: row.fqdnId, fqdn: row.fqdn }] as const];
    }),
  );
}

/** Names of certificates that cover a host name: a wildcard stands for one label (RFC 9525 §6.3). */
function coveringNames(fqdn: string): string[] {
  return fqdn.startsWith('*.') ? [fqdn] : [fqdn, `*.${parentOf(fqdn)}`];
}
