import { type AnyTable, columnName, type Database, type Tx } from '@certloop/db';
import { auditLogs } from '../../src/audit/audit.repository.js';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { csrs } from '../../src/csrs/csrs.repository.js';
import { events } from '../../src/events/events.repository.js';
import { notices } from '../../src/events/notices.repository.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { renewalQueue } from '../../src/renewals/renewals.repository.js';
import { listWrongSizes, recountSpace } from '../../src/spaces/space-sizes.repository.js';
import { spaces } from '../../src/spaces/spaces.repository.js';
import { fqdnStatuses } from '../../src/statuses/statuses.repository.js';
import { users } from '../../src/users/users.repository.js';

export interface LargePlace {
  /** An FQDN with a CSR, a certificate and a planned renewal. */
  readonly fqdnId: string;
  /** How many FQDNs like it there will be in its space. */
  readonly count: number;
  /** How many CSRs and certificates it will have itself. */
  readonly own: number;
  /** How many audit entries there will be at least. */
  readonly entries: number;
}

/** Fills tables by copies of rows that the application made. */
export async function seedLargePlace(database: Database, place: LargePlace): Promise<void> {
  const { fqdnId, count, own, entries } = place;
  const isSqlite = database.dialect.name === 'sqlite';
  const of = `t.fqdn_id = '${fqdnId}'`;
  await database.longTransaction(async (tx) => {
    const copy = (table: AnyTable, where: string, copies: number, change: Change) =>
      tx.query(copies > 0 ? copying(isSqlite, table, where, copies, change) : 'select 1');
    const id = uuid(isSqlite, '0000000a');
    await copy(fqdns, `t.id = '${fqdnId}'`, count - 1, { id, fqdn: "'host-' || n.i || '.example.test'" });
    for (const id of await listWrongSizes(tx)) await recountSpace(tx, id);
    await copy(csrs, of, count - 1, { id, fqdnId: id });
    await copy(certificates, of, count - 1, { id, fqdnId: id, csrId: id });
    await copy(renewalQueue, of, count - 1, { id, fqdnId: id, certificateId: id });
    const named = { id, certificateId: id, fqdn: "'host-' || n.i || '.example.test'" };
    await copy(fqdnStatuses, `t.id = '${fqdnId}'`, count - 1, named);
    const more = { id: uuid(isSqlite, '0000000b'), position: 'n.i + 1' };
    await copy(csrs, of, own - 1, more);
    await copy(certificates, of, own - 1, { ...more, leafSha256: 'null', replacedAt: 't.created_at' });
    const details = `'{"outcome":"success","fqdn":"host-' || n.i || '.example.test","provider":"dummy-ca"}'`;
    const entry = {
      entryId: uuid(isSqlite, '0000000c'),
      details: isSqlite ? details : `(${details})::jsonb`,
    };
    await copy(auditLogs, 't.id = (select min(id) from audit_logs)', entries, entry);
  });
  if (!isSqlite) await analyze(database);
}

/** Fills a space with FQDNs like this one, with renewal off, each with a copy of its certificate. */
export async function seedUnrenewed(database: Database, fqdnId: string, count: number): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const id = uuid(isSqlite, '0000000a');
  await database.longTransaction(async (tx) => {
    const named = { id, fqdn: "'host-' || n.i || '.example.test'" };
    await tx.query(copying(isSqlite, fqdns, `t.id = '${fqdnId}'`, count, named));
    for (const id of await listWrongSizes(tx)) await recountSpace(tx, id);
    const issued = { id, fqdnId: id, csrId: 'null', pem: "''" };
    await tx.query(copying(isSqlite, certificates, `t.fqdn_id = '${fqdnId}'`, count, issued));
  });
  if (!isSqlite) await analyze(database);
}

/**
 * Fills a space with FQDNs like this one, each with a copy of its certificate and its status, as lists need it. The ids
 * of a second space need another beginning.
 */
export async function seedListed(
  database: Database,
  fqdnId: string,
  count: number,
  idsFrom = '0000000a',
): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const id = uuid(isSqlite, idsFrom);
  const fqdn = "'host-' || n.i || '.example.test'";
  await database.longTransaction(async (tx) => {
    const copy = (table: AnyTable, where: string, change: Change) =>
      tx.query(copying(isSqlite, table, `${where} = '${fqdnId}'`, count, change));
    await copy(fqdns, 't.id', { id, fqdn });
    for (const id of await listWrongSizes(tx)) await recountSpace(tx, id);
    await copy(certificates, 't.fqdn_id', { id, fqdnId: id, csrId: 'null' });
    const certificateId = `case when t.certificate_id is null then null else ${id} end`;
    await copy(fqdnStatuses, 't.id', { id, fqdn, certificateId });
  });
  if (!isSqlite) await analyze(database);
}

/** As seedListed; each copy has a copy of the CSR too, and a key that no other one has. */
export async function seedWithCsrs(database: Database, fqdnId: string, count: number): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const idsFrom = '0000000b';
  await seedListed(database, fqdnId, count, idsFrom);
  const id = uuid(isSqlite, idsFrom);
  await database.longTransaction(async (tx) => {
    await tx.query(copying(isSqlite, csrs, `t.fqdn_id = '${fqdnId}'`, count, { id, fqdnId: id }));
    await tx.query(`update certificates set spki_sha256 = cast(id as text) where fqdn_id in (
      select id from fqdns where space_id = (select space_id from fqdns where id = '${fqdnId}'))`);
  });
}

/** Copies the CSR and the certificate of an FQDN, as earlier ones of its own. */
export async function seedEarlier(database: Database, fqdnId: string, count: number): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const where = `t.fqdn_id = '${fqdnId}'`;
  const change = { id: uuid(isSqlite, '0000000c'), position: 'n.i + 1' };
  const ofCertificate = { ...change, leafSha256: 'null', replacedAt: 't.created_at' };
  await database.longTransaction(async (tx) => {
    await tx.query(copying(isSqlite, csrs, where, count, change));
    await tx.query(copying(isSqlite, certificates, where, count, ofCertificate));
  });
}

/** Gives every ninth FQDN of `seedLargePlace` a name of very many `a`, and adds `count` spaces and a quarter as many users. */
export async function seedLongNames(database: Database, count: number): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const id = uuid(isSqlite, '0000000f');
  const letters = (length: number) => 'a'.repeat(length);
  const labels = `'${`${letters(63)}.`.repeat(3)}'`;
  await database.longTransaction(async (tx) => {
    await tx.query(`update fqdns set fqdn = ${labels} || fqdn where fqdn like 'host-1%'`);
    await tx.query(`update fqdn_standings set fqdn = ${labels} || fqdn, unicode_name = ${labels} || fqdn
      where fqdn like 'host-1%'`);
    const first = (table: AnyTable) =>
      `t.id = (select min(cast(id as text)) from ${table.name})${isSqlite ? '' : '::uuid'}`;
    const ofSpace = { id, name: `'${letters(100)}'`, requestKey: 'null' };
    await tx.query(copying(isSqlite, spaces, first(spaces), count, ofSpace));
    const [name, mail] = [`'${letters(58)}' || n.i`, `'${letters(64)}@${letters(180)}' || n.i`];
    const ofUser = { id, username: name, usernameKey: name, email: mail, emailKey: mail };
    await tx.query(copying(isSqlite, users, first(users), count / 4, ofUser));
  });
  if (!isSqlite) await analyze(database);
}

/** Copies the only event and its only notice; each copy has a subject of its own. */
export async function seedEvents(database: Database, count: number): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const id = uuid(isSqlite, '0000000d');
  const subject = "'host-' || n.i";
  await database.longTransaction(async (tx) => {
    const ofNotice = { id: uuid(isSqlite, '0000000e'), eventId: id, subject };
    await tx.query(copying(isSqlite, notices, '1 = 1', count, ofNotice));
    await tx.query(copying(isSqlite, events, '1 = 1', count, { id, subject }));
  });
  if (!isSqlite) await analyze(database);
}

export interface SeededIssuances {
  /** How many copies, each due a millisecond after the one before. */
  readonly count: number;
  /** Beginning of the ids of the copies, eight hexadecimal digits. */
  readonly idsFrom: string;
  /** Whether each has an FQDN of its own, which is not stored. */
  readonly hasOwnFqdn: boolean;
}

/** Copies a request for a certificate, which is one of the rows of `issuances`. */
export async function seedIssuances(
  database: Database,
  requestId: string,
  { count, idsFrom, hasOwnFqdn }: SeededIssuances,
): Promise<void> {
  const isSqlite = database.dialect.name === 'sqlite';
  const id = uuid(isSqlite, idsFrom);
  const nextAt = isSqlite
    ? "strftime('%Y-%m-%d %H:%M:%f', t.next_at, '+' || (n.i / 1000.0) || ' seconds')"
    : "t.next_at + n.i * interval '1 millisecond'";
  const change = { id, nextAt, ...(hasOwnFqdn && { fqdnId: id }) };
  await database.longTransaction(async (tx) => {
    await tx.query(copying(isSqlite, issuances, `t.id = '${requestId}'`, count, change));
    await tx.query('analyze');
  });
}

/** SQL by property; `n.i` is the number of the copy, from 1. */
type Change = Readonly<Record<string, string>>;

function copying(isSqlite: boolean, table: AnyTable, where: string, copies: number, change: Change): string {
  const series = isSqlite
    ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${copies}) select i from n) n`
    : `generate_series(1, ${copies}) as n(i)`;
  const properties = Object.entries(table.columns).filter(([, { kind }]) => kind !== 'key');
  const names = properties.map(([property]) => columnName(property));
  const values = properties.map(([property]) => change[property] ?? `t.${columnName(property)}`);
  return `insert into ${table.name} (${names.join(', ')})
    select ${values.join(', ')} from ${table.name} t cross join ${series} where ${where}`;
}

function uuid(isSqlite: boolean, kind: string): string {
  return isSqlite
    ? `printf('${kind}-0000-7000-8000-%012x', n.i)`
    : `('${kind}-0000-7000-8000-' || lpad(to_hex(n.i), 12, '0'))::uuid`;
}

/** What PostgreSQL does for itself about a minute later. */
async function analyze(database: Database): Promise<void> {
  await database.longTransaction((tx: Tx) => tx.query('analyze'));
}

/** How the database executes each statement of `work`. */
export async function plansOf(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const explain = database.dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  return database.longTransaction(async (tx) => {
    const { queryRunner: runner } = tx;
    if (runner === undefined) throw new Error('a transaction has a query runner');
    const asked: [text: string, values: unknown[] | undefined][] = [];
    const query = runner.query.bind(runner) as typeof runner.query;
    runner.query = ((text: string, values?: unknown[], isStructured?: boolean) => {
      asked.push([text, values]);
      return isStructured === true ? query(text, values, true) : query(text, values);
    }) as typeof runner.query;
    await work(tx);
    runner.query = query;
    const plans: string[] = [];
    for (const [text, values] of asked) plans.push(JSON.stringify(await query(`${explain} ${text}`, values)));
    return plans;
  });
}
