import {
  capabilitiesOf,
  column,
  defineTable,
  executeSql,
  insertMany,
  placeholders,
  querySql,
  type RowOf,
  type SqlValue,
  type Tx,
} from '@certloop/db';
import type { CheckState } from '../check.js';
import type { StoredStatus } from '../check-timing.js';

export const checkStates = defineTable('check_states', {
  columns: {
    checkId: column.bigint().primary(),
    /** Increases with every change of the check, including its settings. */
    revision: column.bigint(),
    pingCount: column.bigint(),
    storedStatus: column.word<StoredStatus>(6),
    lastPing: column.preciseInstant().nullable(),
    lastStart: column.preciseInstant().nullable(),
    lastStartRunId: column.uuid().nullable(),
    lastDuration: column.bigint().nullable(),
    alertAfter: column.preciseInstant().nullable(),
    /** The ring of its pings; null before the first ping, and for checks of versions without a ring. */
    firstSlot: column.bigint().nullable(),
    lastSlot: column.bigint().nullable(),
    slotCount: column.bigint().nullable(),
  },
  indexes: [{ columns: ['alertAfter'], where: 'alert_after is not null' }],
  references: [{ columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' }],
});

/** The columns that pings change, separate from the other columns of a check, which are many and have many indexes. */
export type CheckStateRow = RowOf<typeof checkStates>;

/** Columns of a state that may be set, by their properties. */
export const stateColumns = {
  pingCount: 'ping_count',
  storedStatus: 'stored_status',
  lastPing: 'last_ping',
  lastStart: 'last_start',
  lastStartRunId: 'last_start_run_id',
  lastDuration: 'last_duration',
  alertAfter: 'alert_after',
} as const satisfies Record<keyof CheckState, string>;

const stateProperties = Object.keys(stateColumns) as (keyof CheckState)[];

/** Inserts the initial state of the check with a uuid. */
export async function insertCheckState(tx: Tx, uuid: string, state: CheckState): Promise<void> {
  const columns = Object.values(stateColumns);
  const places = columns.map((_, index) => `$${index + 2}`);
  const text = `insert into check_states (check_id, revision, ${columns.join(', ')})
    select id, 0, ${places.join(', ')} from checks where uuid = $1`;
  await executeSql(tx, text, [uuid, ...stateProperties.map((property) => state[property])]);
}

const noRing = { firstSlot: null, lastSlot: null, slotCount: null };

/** Inserts the initial states of many checks. */
export async function insertCheckStates(
  tx: Tx,
  made: readonly { readonly uuid: string; readonly state: CheckState }[],
): Promise<void> {
  const text = `select id, uuid from checks where uuid in (${placeholders(made.length, 1)})`;
  const uuids = made.map(({ uuid }) => uuid);
  const rows = await querySql(tx, { id: column.bigint(), uuid: column.uuid() }, text, uuids);
  const ids = new Map(rows.map(({ uuid, id }) => [uuid, id]));
  await insertMany(
    tx,
    checkStates,
    made.map(({ uuid, state }) => ({ ...state, ...noRing, revision: 0, checkId: ids.get(uuid) ?? 0 })),
  );
}

/** Updates the columns in `changes`, possibly none, and increments the revision. */
export async function updateCheckState(tx: Tx, id: number, changes: Partial<CheckState>): Promise<void> {
  const changed = stateProperties.filter((property) => changes[property] !== undefined);
  const sets = changed.map((property, index) => `, ${stateColumns[property]} = $${index + 2}`);
  const text = `update check_states set revision = revision + 1${sets.join('')} where check_id = $1`;
  const values = changed.map((property): SqlValue => changes[property] ?? null);
  await executeSql(tx, text, [id, ...values]);
}

/**
 * Locks the state of the check with a uuid until the transaction ends. This is a separate statement: a statement that
 * waits for a lock reads the latest version of the locked row, but old versions of joined rows. SQLite has one writer.
 */
export async function lockState(tx: Tx, uuid: string): Promise<void> {
  if (!capabilitiesOf(tx).hasConcurrentWriters) return;
  const text = `select 1 from check_states where check_id = (select id from checks where uuid = $1) for update`;
  await executeSql(tx, text, [uuid]);
}
