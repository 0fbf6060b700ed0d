import { type Database, inDialect, type Tx } from '@certloop/db';
import { type CheckStateRow, checkStates } from '../../checks/rows/check-states.repository.js';
import { checks, periodColumns, pingSettingColumns } from '../../checks/rows/checks.repository.js';
import { rowCells } from '../../checks/rows/row-cells.repository.js';
import type { KnownCheck } from './known-checks.store.js';
import { runPrepared, sqliteStatement } from './raw-connections.repository.js';

const { columns } = checks;
const { columns: states } = checkStates;

/** Columns that pings read of their check. */
const known = rowCells<KnownColumns, Pick<KnownCheck, 'pingLimit'>>(
  {
    id: columns.id,
    uuid: columns.uuid,
    ...periodColumns,
    ...pingSettingColumns,
    revision: states.revision,
    pingCount: states.pingCount,
    storedStatus: states.storedStatus,
    lastPing: states.lastPing,
    lastStart: states.lastStart,
    lastStartRunId: states.lastStartRunId,
    lastDuration: states.lastDuration,
    alertAfter: states.alertAfter,
    firstSlot: states.firstSlot,
    lastSlot: states.lastSlot,
    slotCount: states.slotCount,
  },
  ['pingLimit'],
);

type RingColumns = Pick<CheckStateRow, 'firstSlot' | 'lastSlot' | 'slotCount'>;
type KnownColumns = Omit<KnownCheck, keyof RingColumns | 'pingLimit'> & RingColumns;

const names = [
  ...known.select,
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
export async function findKnownChecks(db: Database, uuids: readonly string[]): Promise<KnownCheck[]> {
  if (db.autocommit === undefined) return db.read(async (tx) => findOnSqlite(tx, uuids));
  return parsed(await db.autocommit.run(findSome, [`{${uuids.join(',')}}`]));
}

/** The same, locked until the transaction ends. */
export async function lockKnownChecks(tx: Tx, uuids: readonly string[]): Promise<KnownCheck[]> {
  return inDialect(tx, { sqlite: findOnSqlite, postgres: lockOnPostgres })(tx, uuids);
}

async function lockOnPostgres(tx: Tx, uuids: readonly string[]): Promise<KnownCheck[]> {
  const values = [`{${uuids.join(',')}}`];
  await runPrepared(tx, lockSome, values);
  return parsed(await runPrepared(tx, findSome, values));
}

/** Without a lock: a writer of SQLite is alone. */
async function findOnSqlite(tx: Tx, uuids: readonly string[]): Promise<KnownCheck[]> {
  const statement = sqliteStatement(tx, oneText);
  return uuids.flatMap((uuid) => {
    const cells = statement.get(uuid);
    return cells === undefined ? [] : knownCheckOf(cells as unknown as unknown[]);
  });
}

function parsed(rows: readonly (readonly unknown[])[]): KnownCheck[] {
  return rows.map(([cells]) => knownCheckOf(JSON.parse(String(cells)) as unknown[]));
}

function knownCheckOf(cells: readonly unknown[]): KnownCheck {
  const [oldest, pingLimit] = cells.slice(known.select.length) as (number | null)[];
  const check: Writable<KnownColumns> = known.read(cells, { pingLimit: pingLimit ?? null });
  check.firstSlot ??= oldest ?? check.pingCount + 1;
  check.lastSlot ??= check.pingCount;
  check.slotCount ??= oldest == null ? 0 : check.pingCount + 1 - oldest;
  return check as KnownCheck;
}

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };
