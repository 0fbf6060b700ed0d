import { NotFound } from '@certloop/contracts';
import {
  column,
  constraintViolation,
  defineTable,
  executeSql,
  findRow,
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
    /**
     * Its number among the CSRs of the FQDN, in the order of their storing; clocks have no say in it. Those of ACME clients
     * have negative numbers: a process of an earlier version takes the highest for the newest one, too.
     */
    position: column.integer().nullable(),
    /** The ACME client whose order it is for; null for an uploaded one. */
    acmeClientId: column.uuid().nullable(),
    /** Whether its names were compared with their holders; null for what an earlier version stored. */
    namesJudged: column.boolean().nullable(),
  },
  indexes: [
    { columns: ['fqdnId', 'position'], unique: true },
    // those of orders, to be deleted after these
    { columns: ['createdAt', 'id'], where: 'acme_client_id is not null' },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

export type CsrRow = RowOf<typeof csrs>;

/**
 * Condition of a CSR that a person or a token uploaded, which is signed, renewed and listed. The order of an ACME client
 * has a CSR of its own, which nothing but that order reads.
 */
export const isUploaded = 'position >= 0';

/** A CSR before it has its place among those of its FQDN. */
export type NewCsr = Omit<CsrRow, 'position' | 'namesJudged' | 'acmeClientId'>;

/**
 * Stores a CSR as the latest of its FQDN, which is held, or as that of an order of an ACME client; returns the row. Throws
 * NotFound when the FQDN is gone.
 */
export async function insertCsr(tx: Tx, csr: NewCsr, acmeClientId: string | null = null): Promise<CsrRow> {
  const isOfClient = acmeClientId !== null;
  const text = `select ${isOfClient ? 'min' : 'max'}(position) as position from csrs where fqdn_id = $1`;
  const [last] = await querySql(tx, { position: csrs.columns.position }, text, [csr.fqdnId]);
  const number = last?.position ?? 0;
  const position = isOfClient ? Math.min(number, 0) - 1 : Math.max(number, 0) + 1;
  const row = { ...csr, acmeClientId, position, namesJudged: true };
  try {
    await insertMany(tx, csrs, [row]);
    return row;
  } catch (error) {
    if (constraintViolation(error)?.kind === 'foreign_key')
      throw new NotFound('FQDN not found in this space');
    throw error;
  }
}

/** The CSR of an FQDN that was uploaded last. */
export async function findLatestCsr(tx: Tx, fqdnId: string): Promise<CsrRow | undefined> {
  const text = `select * from csrs where fqdn_id = $1 and ${isUploaded} order by position desc limit 1`;
  return (await querySql<CsrRow>(tx, csrs.columns, text, [fqdnId]))[0];
}

/** The CSR that was uploaded last of each of the FQDNs that has one; at least one FQDN is asked for. */
export function listLatestCsrs(tx: Tx, fqdnIds: readonly string[]): Promise<CsrRow[]> {
  // one step into the index for each FQDN, however many it has
  const text = `select r.* from fqdns f join csrs r on r.id = (
      select l.id from csrs l where l.fqdn_id = f.id and l.${isUploaded} order by l.position desc limit 1)
    where f.id in (${placeholders(fqdnIds.length)})`;
  return querySql<CsrRow>(tx, csrs.columns, text, fqdnIds);
}

export async function findCsr(tx: Tx, id: string): Promise<CsrRow | undefined> {
  return findRow(tx, csrs, { id });
}

/** Whether a CSR was uploaded for the FQDN. */
export async function hasCsrOfFqdn(tx: Tx, fqdnId: string): Promise<boolean> {
  const text = `select 1 from csrs where fqdn_id = $1 and ${isUploaded} limit 1`;
  return (await querySql(tx, {}, text, [fqdnId])).length > 0;
}

/** Whether a CSR was uploaded for the FQDN after a moment. */
export async function hasCsrSince(tx: Tx, fqdnId: string, since: Date): Promise<boolean> {
  const text = `select 1 from csrs where fqdn_id = $1 and ${isUploaded} and created_at > $2 limit 1`;
  return (await querySql(tx, {}, text, [fqdnId, since])).length > 0;
}

/** Returns the FQDNs for which a CSR was uploaded, of at least one FQDN. */
export async function listFqdnsWithCsr(tx: Tx, fqdnIds: readonly string[]): Promise<string[]> {
  const text = `select f.id as fqdn_id from fqdns f
    where f.id in (${placeholders(fqdnIds.length)}) and exists (select 1 from csrs r where r.fqdn_id = f.id and r.${isUploaded})`;
  const rows = await querySql(tx, { fqdnId: csrs.columns.fqdnId }, text, fqdnIds);
  return rows.map(({ fqdnId }) => fqdnId);
}

/** Ids of those of the CSRs that are still there; they stay until the transaction ends. At least one is asked for. */
export async function lockCsrsForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await lockForShare(tx, csrs, { id: In([...ids]) });
  return rows.map(({ id }) => id);
}

/**
 * Fingerprints of the keys of an FQDN's CSRs, as `spkiSha256`, at most 40: the 20 that were uploaded last, and the last 20 of
 * ACME clients. Servers of the FQDN have these keys.
 */
export async function listKeyFingerprints(tx: Tx, fqdnId: string): Promise<string[]> {
  const last = (condition: string, direction: 'asc' | 'desc') =>
    `select * from (select spki_sha256 from csrs where fqdn_id = $1 and ${condition} order by position ${direction} limit 20)`;
  const text = `${last(isUploaded, 'desc')} uploaded union all ${last('position < 0', 'asc')} ordered`;
  const { spkiSha256: key } = csrs.columns;
  const rows = await querySql(tx, { spkiSha256: key }, text, [fqdnId]);
  return rows.map(({ spkiSha256 }) => spkiSha256);
}

/** The refusal where there is no CSR to sign. */
export function csrNotFound(message: string): NotFound {
  return new NotFound(message, { code: 'csr_not_found', title: 'CSR not found' });
}

/** How many CSRs were uploaded for the spaces. */
export async function countCsrRows(tx: Tx, scope: SpaceScope): Promise<number> {
  if (scope !== 'all' && scope.length === 0) return 0;
  const [from, values] =
    scope === 'all'
      ? ['csrs r where', []]
      : [
          `csrs r join fqdns f on f.id = r.fqdn_id where f.space_id in (${placeholders(scope.length)}) and`,
          scope,
        ];
  const text = `select count(*) as count from ${from} r.${isUploaded}`;
  const [row] = await querySql(tx, { count: column.bigint() }, text, values);
  return row?.count ?? 0;
}

/** Deletes the uploaded CSRs of all spaces; how many there were. */
export async function deleteEveryCsr(tx: Tx): Promise<number> {
  return executeSql(tx, `delete from csrs where ${isUploaded}`);
}

/** Uploaded CSRs of an FQDN, in the order of their storing. */
export function readCsrPage(tx: Tx, fqdnId: string, window: StoredWindow): Promise<ListPage<CsrRow>> {
  return readStoredPage(tx, csrs, fqdnId, window, isUploaded);
}
