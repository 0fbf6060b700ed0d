import type { ServedClass } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  insertIfAbsent,
  type ListPage,
  type ListWindow,
  lockForUpdate,
  type RowOf,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { SpaceScope } from '../../spaces/spaces.repository.js';

export const servedFqdns = defineTable('served_fqdns', {
  columns: {
    /** The FQDN's. */
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    fqdn: column.word(253),
    /** Null before the first observation. */
    class: column.word<ServedClass>(20).nullable(),
    partial: column.boolean(),
    since: column.instant().nullable(),
    /** The worst address in one sentence; null while all are well. */
    hint: column.text().nullable(),
    /** Fault that makes the check of the FQDN fail; null while there is none. */
    fault: column.text().nullable(),
    /** The certificate that all addresses were last seen to serve. */
    inServiceId: column.uuid().nullable(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['spaceId', 'createdAt', 'id'] }, { columns: ['createdAt', 'id'] }],
  references: [{ columns: ['id'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** State of all targets of an FQDN together; a row for each FQDN that has targets. */
export type ServedFqdnRow = RowOf<typeof servedFqdns>;

/** Adds the row of an FQDN unless it is there. */
export async function addServedFqdn(
  tx: Tx,
  { id, spaceId, fqdn, createdAt }: Pick<ServedFqdnRow, 'id' | 'spaceId' | 'fqdn' | 'createdAt'>,
): Promise<void> {
  await insertIfAbsent(tx, servedFqdns, { id, spaceId, fqdn, partial: false, createdAt });
}

/** The row of an FQDN, held until the transaction ends, so that its addresses are judged by one at a time. */
export async function lockServedFqdn(tx: Tx, id: string): Promise<ServedFqdnRow | undefined> {
  return (await lockForUpdate(tx, servedFqdns, { id }))[0];
}

export async function updateServedFqdn(tx: Tx, id: string, change: Partial<ServedFqdnRow>): Promise<void> {
  await updateRows(tx, servedFqdns, { id }, change);
}

export async function deleteServedFqdn(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, servedFqdns, { id });
}

/** FQDNs of the spaces that have targets, by the moment of their first one. */
export function readServedPage(
  tx: Tx,
  scope: SpaceScope,
  only: ServedClass | undefined,
  window: ListWindow,
): Promise<ListPage<ServedFqdnRow>> {
  const where = {
    ...(scope !== 'all' && { space_id: scope }),
    ...(only !== undefined && { class: [only] }),
  };
  const grouped = scope === 'all' ? {} : { groupedBy: 'space_id' };
  return readListPage(tx, { table: servedFqdns, by: 'createdAt', where, ...grouped }, window);
}
