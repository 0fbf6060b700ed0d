import pg from 'pg';
import { withoutValues } from './failures.js';
import type { PostgresAddress } from './source.js';

/** A statement with placeholders `$1`, `$2` …, always the same text under one name. */
export interface LaneStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Connections for the hottest statements, past the mapper. Each statement is a transaction of its own, prepared once
 * for each connection, and planned as written: tables are read by index, in the order of what is joined to them.
 */
export interface Lanes {
  /**
   * Rows as arrays of their columns, 64 bits as text; what the statement wrote is on disk. Values must be text or null.
   * A statement that a deadlock took back is run again.
   */
  run(statement: LaneStatement, values: readonly (string | null)[]): Promise<readonly (readonly unknown[])[]>;
}

// Statements over lists of keys: what the planner would gain by other ways for long lists it loses by planning, and
// by index several lists of rising keys are locked in the same order
const planning = `set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off`;

/** Opens lanes, `most` at once; connections are made when they are needed. */
export function openLanes(
  { url }: PostgresAddress,
  most: number,
  onIdleError: (error: Error) => void,
): Lanes & { close(): Promise<void> } {
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: 'certloop',
    onConnect: (client) => client.query(planning),
  });
  pool.on('error', onIdleError);
  return {
    run: async (statement, values) => {
      const query = { ...statement, values: [...values], rowMode: 'array' as const };
      const { rows } = await pool.query(query).catch((error: unknown) => {
        throw withoutValues(error);
      });
      return rows;
    },
    close: () => pool.end(),
  };
}
