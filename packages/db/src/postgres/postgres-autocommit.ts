import pg from 'pg';
import { asLost, DatabaseUnavailable, isUnwritable, withoutValues } from '../faults/failures.js';
import { type PostgresAddress, reasonOf } from '../source.js';
import { connectionName } from './connection-name.js';
import { type PostgresLimits, serverMs, type WatchedClient } from './postgres-client.js';

/** A statement with placeholders `$1`, `$2` …, always the same text under one name. */
export interface AutocommitStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Connections for the hottest statements, past the mapper. Each statement is a transaction of its own, prepared once
 * for each connection, and planned as written: tables are read by index, in the order of what is joined to them. The
 * plan may be made while the tables are empty: texts must leave no other way than by key, as by `= any(array[…])` for a
 * join. Behind a connection pooler it is prepared again each time.
 */
export interface Autocommit {
  /**
   * Rows as arrays of their columns, 64 bits as text; what the statement wrote is on disk. Values must be text or null.
   * A statement that a deadlock took back is run again. Throws DatabaseUnavailable.
   */
  run(
    statement: AutocommitStatement,
    values: readonly (string | null)[],
  ): Promise<readonly (readonly unknown[])[]>;
}

// Statements over lists of keys: what the planner would gain by other ways for long lists it loses by planning, and
// by index several lists of rising keys are locked in the same order
const planning = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

const attempts = 3;

type AutocommitClient = WatchedClient & pg.PoolClient;

/** Opens at most `max` autocommit connections, which are made when they are needed. */
export function openAutocommit(
  { url }: PostgresAddress,
  max: number,
  limits: PostgresLimits,
  options: pg.PoolConfig,
): Autocommit & { close(): Promise<void> } {
  const session = [...planning, `statement_timeout = ${serverMs(limits.laneMs)}`];
  const begin = ['start transaction', ...session.map((one) => `set local ${one}`)].join(';');
  const pool = new pg.Pool({
    ...options,
    connectionString: url,
    max,
    idleTimeoutMillis: 0,
    application_name: connectionName,
    onConnect: async (connected) => {
      const client = connected as WatchedClient;
      await client.noticePooler();
      if (!client.isPooled) await client.query(session.map((one) => `set ${one}`).join(';'));
    },
  });
  // each connection reports its own end
  pool.on('error', () => undefined);
  return {
    run: async (statement, values) => {
      const client = await answeringClient(pool, limits);
      try {
        return client.isPooled
          ? await runPooled(client, begin, statement, values, limits)
          : await runPrepared(client, statement, values, limits);
      } catch (error) {
        if (isUnwritable(error)) client.cut('it leads to a server that cannot be written');
        throw client.lost === undefined ? withoutValues(error) : asLost(error, client.lost);
      } finally {
        client.release(client.lost);
      }
    },
    close: () => pool.end(),
  };
}

async function runPrepared(
  client: AutocommitClient,
  statement: AutocommitStatement,
  values: readonly (string | null)[],
  limits: PostgresLimits,
): Promise<readonly (readonly unknown[])[]> {
  client.limitMs = limits.laneMs;
  const { rows } = await client.query<unknown[]>({ ...statement, values: [...values], rowMode: 'array' });
  return rows;
}

/** With settings of the transaction, and without a name. */
async function runPooled(
  client: AutocommitClient,
  begin: string,
  { text }: AutocommitStatement,
  values: readonly (string | null)[],
  limits: PostgresLimits,
): Promise<readonly (readonly unknown[])[]> {
  client.limitMs = limits.answerMs;
  await client.query(begin);
  try {
    client.limitMs = limits.laneMs;
    const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * A connection of the pool. After some silence it is asked first, as a statement that was sent into a dead connection
 * may have been run or not.
 */
async function answeringClient(pool: pg.Pool, limits: PostgresLimits): Promise<AutocommitClient> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await connect(pool);
    if (performance.now() - client.heardAt < limits.quietMs) return client;
    try {
      client.limitMs = limits.answerMs;
      await client.query('select 1');
      return client;
    } catch (error) {
      client.release(true);
      if (attempt === attempts) throw asLost(error, client.lost ?? (error as Error));
    }
  }
}

async function connect(pool: pg.Pool): Promise<AutocommitClient> {
  try {
    return (await pool.connect()) as AutocommitClient;
  } catch (cause) {
    throw new DatabaseUnavailable(`cannot connect to the database: ${reasonOf(cause)}`, { cause });
  }
}
