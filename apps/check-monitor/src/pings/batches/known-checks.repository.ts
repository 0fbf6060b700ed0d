import type { Database, Tx } from '@certloop/db';
import type { KnownCheck } from './known-checks.store.js';
import { runPrepared, sqliteStatement } from './raw-connections.repository.js';

const names = [
  ...['id', 'uuid', 'kind', 'timeout_seconds', 'grace_seconds', 'schedule', 'tz', 'manual_resume', 'methods'],
  ...['start_keywords', 'success_keywords', 'failure_keywords'],
  ...['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail'],
  ...['revision', 'ping_count', 'stored_status'],
  ...['last_ping', 'last_start', 'last_start_run_id', 'last_duration', 'alert_after'],
  ...['first_slot', 'last_slot', 'slot_count'],
  // where there is no ring yet, pings lie in the slots of their numbers
  'case when first_slot is null then (select min(slot) from pings where check_id = checks.id) end',
  '(select ping_limit from users where users.id = (select owner_id from projects where projects.id = project_id))',
].join(', ');

const oneText = `select ${names} from checks join check_states on check_states.check_id = checks.id where uuid = ?`;
// One cell, as to read two dozen of a row one by one takes three times as long. By `= any`, so that the plan reads each
// state by its key even where it was made while there were none.
const someText = `select cast(json_build_array(${names}) as text)
  from checks join check_states on check_states.check_id = any(array[checks.id])
  where uuid = any(cast($1 as uuid[]))`;
const findSome = { name: 'find-pinged', text: someText };
// By id: callers that lock several take them in the same order, so that no two wait for each other. Read apart: a
// statement that waits for a lock gets the locked row as it is now, but the rows that it joins as they were before.
const lockSome = {
  name: 'lock-pinged',
  text: `select 1 from check_states
    where check_id in (select id from checks where uuid = any(cast($1 as uuid[]))) order by check_id for update`,
};

/** The checks that there are of these uuids. */
export async function findKnownChecks(database: Database, uuids: readonly string[]): Promise<KnownCheck[]> {
  if (database.lanes === undefined) return database.read(async (tx) => findOnSqlite(tx, uuids));
  return parsed(await database.lanes.run(findSome, [`{${uuids.join(',')}}`]));
}

/** The same, held until the transaction ends. */
export async function holdKnownChecks(tx: Tx, uuids: readonly string[]): Promise<KnownCheck[]> {
  // a writer of SQLite is alone anyway
  if (tx.dataSource.options.type !== 'postgres') return findOnSqlite(tx, uuids);
  const values = [`{${uuids.join(',')}}`];
  await runPrepared(tx, lockSome, values);
  return parsed(await runPrepared(tx, findSome, values));
}

function findOnSqlite(tx: Tx, uuids: readonly string[]): KnownCheck[] {
  const statement = sqliteStatement(tx, oneText);
  return uuids.flatMap((uuid) => {
    const cells = statement.get(uuid);
    return cells === undefined ? [] : knownCheckOf(cells as unknown as Cells);
  });
}

function parsed(rows: readonly (readonly unknown[])[]): KnownCheck[] {
  return rows.map(([cells]) => knownCheckOf(JSON.parse(String(cells)) as Cells));
}

/** SQLite knows no booleans. */
type Flag = boolean | 0 | 1;
type Cells = readonly [
  id: number,
  uuid: string,
  kind: KnownCheck['kind'],
  timeoutSeconds: number,
  graceSeconds: number,
  schedule: string,
  tz: string,
  manualResume: Flag,
  methods: KnownCheck['methods'],
  startKeywords: string,
  successKeywords: string,
  failureKeywords: string,
  filterSubject: Flag,
  filterBody: Flag,
  filterHttpBody: Flag,
  filterDefaultFail: Flag,
  revision: number,
  pingCount: number,
  storedStatus: KnownCheck['storedStatus'],
  lastPing: number | null,
  lastStart: number | null,
  lastStartRunId: string | null,
  lastDuration: number | null,
  alertAfter: number | null,
  firstSlot: number | null,
  lastSlot: number | null,
  slotCount: number | null,
  oldest: number | null,
  pingLimit: number | null,
];

function knownCheckOf([
  id,
  uuid,
  kind,
  timeoutSeconds,
  graceSeconds,
  schedule,
  tz,
  manualResume,
  methods,
  startKeywords,
  successKeywords,
  failureKeywords,
  filterSubject,
  filterBody,
  filterHttpBody,
  filterDefaultFail,
  revision,
  pingCount,
  storedStatus,
  lastPing,
  lastStart,
  lastStartRunId,
  lastDuration,
  alertAfter,
  firstSlot,
  lastSlot,
  slotCount,
  oldest,
  pingLimit,
]: Cells): KnownCheck {
  return {
    id,
    uuid,
    kind,
    timeoutSeconds,
    graceSeconds,
    schedule,
    tz,
    manualResume: Boolean(manualResume),
    methods,
    startKeywords,
    successKeywords,
    failureKeywords,
    filterSubject: Boolean(filterSubject),
    filterBody: Boolean(filterBody),
    filterHttpBody: Boolean(filterHttpBody),
    filterDefaultFail: Boolean(filterDefaultFail),
    revision,
    pingCount,
    storedStatus,
    lastPing,
    lastStart,
    lastStartRunId,
    lastDuration,
    alertAfter,
    firstSlot: firstSlot ?? oldest ?? pingCount + 1,
    lastSlot: lastSlot ?? pingCount,
    slotCount: slotCount ?? (oldest === null ? 0 : pingCount + 1 - oldest),
    pingLimit,
  };
}
