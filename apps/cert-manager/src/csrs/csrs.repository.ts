import { NotFound } from '@certloop/contracts';
import {
  column,
  constraintViolation,
  defineTable,
  executeSql,
  findRow,
  hasRow,
  insertMany,
  type ListPage,
  lockForShare,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
} from '@certloop/db';
import { In } from 'typeorm';
import { readStoredPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import type { SpaceScope } from '../spaces/spaces.repository.js';

export const csrs = defineTable('csrs', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    /** PEM text in its canonical form; its DER is the uploaded one to the byte. */
    csrPem: column.text(),
    /** JSON of what it says; as text, since a name in a CSR may hold what PostgreSQL's jsonb refuses. */
    description: column.text(),
    /** SHA-256 over the SubjectPublicKeyInfo, hex. */
    spkiSha256: column.word(64),
    createdAt: column.instant(),
    // SQLite adds no column that refuses null
    /** Its number among the CSRs of the FQDN, in the order of their storing; clocks have no say in it. */
    position: column.integer().nullable(),
    /** Whether its names were compared with their holders; null for what an earlier version stored. */
    namesJudged: column.boolean().nullable(),
  },
  indexes: [{ columns: ['fqdnId', 'position'], unique: true }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

export type CsrRow = RowOf<typeof csrs>;

/** Stores a CSR as the latest of its FQDN, which is held; returns the row. Throws NotFound when the FQDN is gone. */
export async function insertCsr(tx: Tx, csr: Omit<CsrRow, 'position' | 'namesJudged'>): Promise<CsrRow> {
  const text = 'select max(position) as position from csrs where fqdn_id = $1';
  const [last] = await querySql(tx, { position: csrs.columns.position }, text, [csr.fqdnId]);
  const row = { ...csr, position: (last?.position ?? 0) + 1, namesJudged: true };
  try {
    await insertMany(tx, csrs, [row]);
    return row;
  } catch (error) {
    if (constraintViolation(error)?.kind === 'foreign_key')
      throw new NotFound('FQDN not found in this space');
    throw error;
  }
}

/** The CSR of an FQDN that came last. */
export async function findLatestCsr(tx: Tx, fqdnId: string): Promise<CsrRow | undefined> {
  return findRow(tx, csrs, { fqdnId }, { by: ['position'], direction: 'desc' });
}

/** The CSR that came last of each of the FQDNs that has one; at least one FQDN is asked for. */
export function listLatestCsrs(tx: Tx, fqdnIds: readonly string[]): Promise<CsrRow[]> {
  // one step into the index for each FQDN, however many it has
  const text = `select r.* from fqdns f join csrs r on r.id = (
      select l.id from csrs l where l.fqdn_id = f.id order by l.position desc limit 1)
    where f.id in (${placeholders(fqdnIds.length)})`;
  return querySql<CsrRow>(tx, csrs.columns, text, fqdnIds);
}

export async function findCsr(tx: Tx, id: string): Promise<CsrRow | undefined> {
  return findRow(tx, csrs, { id });
}

/** Whether the FQDN has a CSR. */
export async function hasCsrOfFqdn(tx: Tx, fqdnId: string): Promise<boolean> {
  return hasRow(tx, csrs, { fqdnId });
}

/** Returns the FQDNs that have a CSR, of at least one FQDN. */
export async function listFqdnsWithCsr(tx: Tx, fqdnIds: readonly string[]): Promise<string[]> {
  const text = `select f.id as fqdn_id from fqdns f
    where f.id in (${placeholders(fqdnIds.length)}) and exists (select 1 from csrs r where r.fqdn_id = f.id)`;
  const rows = await querySql(tx, { fqdnId: csrs.columns.fqdnId }, text, fqdnIds);
  return rows.map(({ fqdnId }) => fqdnId);
}

/** Ids of those of the CSRs that are still there; they stay until the transaction ends. At least one is asked for. */
export async function lockCsrsForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await lockForShare(tx, csrs, { id: In([...ids]) });
  return rows.map(({ id }) => id);
}

/** Fingerprints of the keys of an FQDN's CSRs, as `spkiSha256`, newest first, at most 20. */
export async function listKeyFingerprints(tx: Tx, fqdnId: string): Promise<string[]> {
  const rows = await tx.find(csrs, {
    select: { spkiSha256: true },
    where: { fqdnId },
    order: { position: 'DESC' },
    take: 20,
  });
  return rows.map(({ spkiSha256 }) => spkiSha256);
}

/** The refusal where there is no CSR to sign. */
export function csrNotFound(message: string): NotFound {
  return new NotFound(message, { code: 'csr_not_found', title: 'CSR not found' });
}

/** How many CSRs the spaces hold. */
export async function countCsrRows(tx: Tx, scope: SpaceScope): Promise<number> {
  if (scope === 'all') return tx.count(csrs);
  if (scope.length === 0) return 0;
  const [row] = await querySql(
    tx,
    { count: column.bigint() },
    `select count(*) as count from csrs join fqdns on fqdns.id = csrs.fqdn_id
     where fqdns.space_id in (${placeholders(scope.length)})`,
    scope,
  );
  return row?.count ?? 0;
}

/** Deletes the CSRs of all spaces; how many there were. */
export async function deleteEveryCsr(tx: Tx): Promise<number> {
  return executeSql(tx, 'delete from csrs');
}

/** CSRs of an FQDN, in the order of their storing. */
export function readCsrPage(tx: Tx, fqdnId: string, window: StoredWindow): Promise<ListPage<CsrRow>> {
  return readStoredPage(tx, csrs, fqdnId, window);
}
