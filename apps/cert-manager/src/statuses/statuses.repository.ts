import type { FqdnState } from '@certloop/contracts';
import {
  column,
  columnName,
  defineTable,
  executeSql,
  lockForUpdate,
  placeholders,
  querySql,
  type RowOf,
  type SqlValue,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import type { ClientPart, StatusOutlook, StatusProblem } from './computed-status.js';

/** After every certificate: the last millisecond that RFC 5280 can write, which none of them ends in. */
export const noDate = new Date('9999-12-31T23:59:59.999Z');

export const fqdnStatuses = defineTable('fqdn_standings', {
  columns: {
    /** The FQDN's. */
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    fqdn: column.word(253),
    /** The name in Unicode where it has another spelling than ASCII, in lower case. */
    unicodeName: column.text().nullable(),
    /** Owner and tags, for searches; see `labelsText`. */
    labels: column.text().nullable(),
    renewalEnabled: column.boolean(),
    /** Who is asked for the next certificate: who issued the newest one, else the FQDN's own provider. */
    providerId: column.uuid().nullable(),
    outlook: column.word<StatusOutlook>(16),
    certificateId: column.uuid().nullable(),
    notBefore: column.instant().nullable(),
    /** These three are `never` instead of null, so that an index sorts by them. */
    expiresAt: column.instant(),
    renewAt: column.instant(),
    attentionAt: column.instant(),
    problem: column.word<StatusProblem>(16).nullable(),
    problemAt: column.instant().nullable(),
    problemReason: column.text().nullable(),
    /** The last request for a certificate that failed; no other table has those of csr/sign. */
    requestFailedAt: column.instant().nullable(),
    requestFailure: column.text().nullable(),
    /** Whether an ACME client renews the newest certificate, or the one that did is gone. */
    client: column.word<ClientPart>(8).nullable(),
    /** How many lineages are expected to renew, and the certificates of the worst, as `writeLineages` writes them. */
    lineages: column.text().nullable(),
    updatedAt: column.instant(),
  },
  indexes: [
    { columns: ['expiresAt', 'id'] },
    { columns: ['renewAt', 'id'] },
    { columns: ['fqdn', 'id'] },
    // counts are read from it alone
    { columns: ['attentionAt', 'id', 'expiresAt', 'problem'] },
    { columns: ['spaceId', 'expiresAt', 'id'] },
    { columns: ['spaceId', 'renewAt', 'id'] },
    { columns: ['spaceId', 'fqdn', 'id'] },
    { columns: ['spaceId', 'attentionAt', 'id', 'expiresAt', 'problem'] },
    // for all FQDNs: SQLite would read all that have a certificate by an index of those alone
    { columns: ['providerId', 'notBefore', 'id'] },
    { name: 'ix_fqdn_standings_unfinished', columns: ['spaceId', 'id'], where: 'certificate_id is null' },
    {
      name: 'ix_fqdn_standings_problem',
      columns: ['spaceId', 'expiresAt', 'id'],
      where: 'problem is not null',
    },
  ],
  references: [{ columns: ['id'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** The state of an FQDN, as it is stored: lists are sorted, filtered and counted by it. */
export type FqdnStatusRow = RowOf<typeof fqdnStatuses>;

/** SQL condition of each state at the moment in the placeholder; it agrees with `stateAt`. */
export function stateCondition(state: FqdnState, at: string): string {
  const isCurrent = `certificate_id is not null and expires_at > ${at}`;
  const conditions: Readonly<Record<FqdnState, string>> = {
    // each has the placeholder, so that the value is always of use
    unfinished: `certificate_id is null and expires_at > ${at}`,
    expired: `expires_at <= ${at}`,
    // without a range, so that SQLite reads the index of the few problems and not that of all expiry dates
    failing: `problem is not null and certificate_id is not null and not (expires_at <= ${at})`,
    due: `problem is null and attention_at <= ${at} and ${isCurrent}`,
    valid: `problem is null and attention_at > ${at} and ${isCurrent}`,
  };
  return conditions[state];
}

/** The statuses of the FQDNs, locked until the transaction ends: another transaction that refreshes one of them waits. */
export function lockStatuses(tx: Tx, ids: readonly string[]): Promise<FqdnStatusRow[]> {
  return lockForUpdate(tx, fqdnStatuses, { id: In([...ids]) });
}

/** The statuses of FQDNs whose ids lie between these, both included. */
export function listStatusesBetween(tx: Tx, first: string, last: string): Promise<FqdnStatusRow[]> {
  const text = 'select * from fqdn_standings where id >= $1 and id <= $2';
  return querySql<FqdnStatusRow>(tx, fqdnStatuses.columns, text, [first, last]);
}

/**
 * Renewals are no longer planned or possible, since there is no CSR. One statement for all, as there may be very many; it
 * omits those whose renewal still has an open entry in the queue.
 */
export async function endPlansWithoutCsr(tx: Tx, now: Date): Promise<void> {
  const text = `update fqdn_standings set outlook = 'no_csr', renew_at = $1, updated_at = $2
    where outlook in ('planned', 'provider_off', 'switched_off', 'no_provider') and not exists (
      select 1 from renewal_queue q where q.fqdn_id = fqdn_standings.id and q.is_test = false
        and q.status in ('pending', 'processing'))`;
  await executeSql(tx, text, [noDate, now]);
}

/** Plans with a provider wait, or go on, after it was disabled or enabled. One statement, as there may be very many. */
export async function switchPlans(tx: Tx, providerId: string, isEnabled: boolean, now: Date): Promise<void> {
  const [before, after] = isEnabled ? ['provider_off', 'planned'] : ['planned', 'provider_off'];
  const text = `update fqdn_standings set outlook = $1, updated_at = $2 where provider_id = $3 and outlook = $4`;
  await executeSql(tx, text, [after, now, providerId, before]);
}

/** SQL condition: the renewal is planned, here or by an ACME client, whether or not its provider is disabled. */
export const isPlanned = "s.outlook in ('planned', 'provider_off', 'by_client')";

/**
 * FQDNs that have a certificate and are to be renewed, whether or not a policy forbids that, in the order of their ids:
 * those after `last`, at most `limit`.
 */
export async function listPlannedAfter(tx: Tx, last: string, limit: number): Promise<string[]> {
  const after = last === '' ? '' : 'and id > $1';
  const text = `select id from fqdn_standings
    where outlook in ('planned', 'provider_off', 'forbidden', 'compromised_key') ${after} order by id limit ${limit}`;
  const rows = await querySql(tx, { id: column.uuid() }, text, last === '' ? [] : [last]);
  return rows.map(({ id }) => id);
}

const properties = Object.keys(fqdnStatuses.columns) as readonly (keyof FqdnStatusRow)[];
const names = properties.map(columnName);
// an FQDN never changes its space or name: omitted, so that SQLite does not write the indexes by name again
const fixed: readonly string[] = (['id', 'spaceId', 'fqdn'] as const).map(columnName);
const changes = names.filter((name) => !fixed.includes(name)).map((name) => `${name} = excluded.${name}`);

/** Writes the rows, each in the place of the one before. */
export async function storeStatuses(tx: Tx, rows: readonly FqdnStatusRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values: SqlValue[] = rows.flatMap((row) => properties.map((property) => row[property]));
  const tuples = rows.map((_, index) => `(${placeholders(names.length, index * names.length + 1)})`);
  const text = `insert into fqdn_standings (${names.join(', ')}) values ${tuples.join(', ')}
    on conflict (id) do update set ${changes.join(', ')}`;
  await executeSql(tx, text, values);
}

/** Notes a request that failed; false when the FQDN has no status yet. */
export async function noteRequestFailure(
  tx: Tx,
  id: string,
  { at: requestFailedAt, reason: requestFailure }: { readonly at: Date; readonly reason: string },
): Promise<boolean> {
  return (await updateRows(tx, fqdnStatuses, { id }, { requestFailedAt, requestFailure })) === 1;
}
