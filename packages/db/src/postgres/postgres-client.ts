import pg from 'pg';
import {
  SilenceDetector,
  type SilenceDetectorOptions,
  type Suspect,
  sessionTraces,
  streamOf,
  type Traces,
} from './postgres-silence.js';

/** How long PostgreSQL may take, in milliseconds unless the name says otherwise. */
export interface PostgresLimits {
  /** To take a connection up, or to get one where all are in use. */
  readonly connectMs: number;
  /** To answer what costs the server no work, such as the beginning of a transaction. */
  readonly answerMs: number;
  /** To answer a statement in autocommit mode. */
  readonly laneMs: number;
  /** To answer a statement of a reading transaction. */
  readonly readMs: number;
  /** To answer a statement of a writing transaction. */
  readonly writeMs: number;
  /** To answer a statement of a transaction that changes very many rows at once. */
  readonly longMs: number;
  /** How long a transaction may be open without a statement. */
  readonly idleMs: number;
  /** How long a statement of a migration may wait for a table. */
  readonly lockMs: number;
  /** After this silence an autocommit connection is asked whether it still responds before a statement is sent. */
  readonly quietMs: number;
  /** After this time a connection is replaced. */
  readonly lifetimeSeconds: number;
}

export const usualLimits: PostgresLimits = {
  connectMs: 5000,
  answerMs: 3000,
  laneMs: 6000,
  readMs: 25_000,
  writeMs: 60_000,
  longMs: 3_600_000,
  idleMs: 30_000,
  // less than deadlock_timeout, 1 s: the migration gives up before the server ends another statement for it
  lockMs: 500,
  quietMs: 1000,
  lifetimeSeconds: 1800,
};

/** Time that the server gets less than the client, so that its own error comes first where it still answers. */
const headStartMs = 1000;

/** The bound of a statement on the server, where the client waits for `ms`. */
export function serverMs(ms: number): number {
  return Math.max(1, ms - headStartMs);
}

/** All connections of one database of this process. */
export class Connections {
  private readonly open = new Set<WatchedClient>();
  /** Called once for each connection that ended other than by us. */
  readonly onLost: (reason: string) => void;
  readonly silence: SilenceDetector;

  constructor(onLost: (reason: string) => void, silence: SilenceDetectorOptions) {
    this.onLost = onLost;
    this.silence = new SilenceDetector(silence);
  }

  add(client: WatchedClient): void {
    this.open.add(client);
    client.once('end', () => this.open.delete(client));
  }

  /** Closes the idle ones that have been silent since `instant`: what silenced one connection may have silenced them. */
  closeQuietSince(instant: number): void {
    for (const client of this.open)
      if (client.isIdle && client.heardAt <= instant) client.cut('it is in doubt');
  }

  /** Closes all at once: what waits for an answer fails. */
  cutAll(reason: string): void {
    this.silence.stop();
    for (const client of this.open) client.cut(reason);
  }

  /** Closes those in use at once. */
  cutBusy(reason: string): void {
    this.silence.stop();
    for (const client of this.open) if (!client.isIdle) client.cut(reason);
  }
}

/**
 * Whether a statement that is prepared by name is there when it is next used: not behind a connection pooler such as
 * PgBouncer, which may give each transaction another session of the server.
 */
export function keepsPrepared(client: object): boolean {
  return !(client instanceof WatchedClient && client.isPooled);
}

/** Returns the options that all pools of these connections have. */
export function poolOptions(connections: Connections, limits: PostgresLimits): pg.PoolConfig {
  const own = { connections, answerMs: limits.answerMs };
  return {
    ...own,
    Client: WatchedClient as unknown as new () => pg.Client,
    onConnect: (client) => (client as WatchedClient).noticePooler(),
    connectionTimeoutMillis: limits.connectMs,
    maxLifetimeSeconds: limits.lifetimeSeconds,
    keepAlive: true,
    // the system's own two hours are longer than load balancers remember a connection
    keepAliveInitialDelayMillis: 30_000,
  };
}

type Query = (...call: unknown[]) => unknown;
type WatchedConfig = pg.ClientConfig & { readonly connections: Connections; readonly answerMs: number };

/**
 * A connection that is closed when the server leaves a statement without an answer: no time limit of the server helps
 * where it never sees the statement, and a late answer would be taken for that of the next statement.
 */
export class WatchedClient extends pg.Client implements Suspect {
  /** How long the statements sent from now on may take, in milliseconds. */
  limitMs: number;
  /** When the server last answered, by `performance.now()`. */
  heardAt = performance.now();
  /** Why the connection can no longer be used; undefined while it can. */
  lost: Error | undefined;
  /** Whether a connection pooler stands between, so that nothing may be left behind in a session. */
  isPooled = false;
  traces: Traces | undefined;
  private running = 0;
  /** When the oldest statement without an answer was sent. */
  private askedAt = 0;
  private readonly answerMs: number;
  private readonly connections: Connections;
  private isReported = false;

  constructor(config: WatchedConfig) {
    super(config);
    this.limitMs = config.answerMs;
    this.answerMs = config.answerMs;
    this.connections = config.connections;
    config.connections.add(this);
    this.on('error', (error) => {
      this.lost ??= error;
      this.report();
    });
    this.once('end', () => {
      this.lost ??= new Error('the connection has ended');
    });
    const query = this.query.bind(this) as Query;
    Object.assign(this, { query: (...call: unknown[]) => this.watched(query, call) });
  }

  /** Whether no transaction is open and no statement under way. */
  get isIdle(): boolean {
    return this.running === 0 && this.getTransactionStatus() === 'I';
  }

  get isWaiting(): boolean {
    return this.running > 0;
  }

  /** Finds out whether a pooler stands between: it gives its clients numbers of its own for their sessions. */
  async noticePooler(): Promise<void> {
    const [row] = (await this.query<TracesRow>(sessionTraces)).rows;
    const { processID } = this as unknown as { readonly processID: number | null };
    this.isPooled = row?.pid !== processID;
    this.traces = this.isPooled ? undefined : tracesOf('session', row);
  }

  /** Notes what a statement of `transactionTraces` returned. */
  noteTransaction(row: TracesRow | undefined): void {
    this.traces = tracesOf('transaction', row);
  }

  giveUp(reason: string): void {
    const { askedAt } = this;
    this.cut(reason);
    this.connections.closeQuietSince(askedAt);
  }

  /** Closes the connection at once, without a word to the server. */
  cut(reason: string): void {
    this.lost ??= new Error(reason);
    streamOf(this).destroy(this.lost);
  }

  private report(): void {
    if (!this.isReported) this.connections.onLost(this.lost?.message ?? '');
    this.isReported = true;
  }

  private watched(query: Query, call: readonly unknown[]): unknown {
    const result = query(...call);
    if (!(result instanceof Promise)) return result;
    const { limitMs, answerMs } = this;
    const giveUp = () => this.giveUp(`the server left a statement without an answer for ${limitMs} ms`);
    const doubt = () => {
      timer = setTimeout(giveUp, limitMs - answerMs);
      this.connections.silence.doubt(this);
    };
    let timer = limitMs <= answerMs ? setTimeout(giveUp, limitMs) : setTimeout(doubt, answerMs);
    if (this.running === 0) this.askedAt = performance.now();
    const settled = () => {
      clearTimeout(timer);
      this.running -= 1;
      if (this.lost === undefined) this.heardAt = performance.now();
      this.connections.silence.trust(this);
    };
    this.running += 1;
    result.then(settled, settled);
    return result;
  }
}

/** A row of `sessionTraces` or `transactionTraces`. */
export interface TracesRow {
  readonly pid: number;
  readonly started_at: string | null;
}

function tracesOf(of: Traces['of'], row: TracesRow | undefined): Traces | undefined {
  return row === undefined || row.started_at === null
    ? undefined
    : { pid: row.pid, startedAt: row.started_at, of };
}
