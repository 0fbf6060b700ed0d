import pg from 'pg';

/** How long PostgreSQL may take, in milliseconds unless the name says otherwise. */
export interface PostgresLimits {
  /** To take a connection up, or to get one where all are in use. */
  readonly connectMs: number;
  /** To answer what costs the server no work, such as the beginning of a transaction. */
  readonly answerMs: number;
  /** To answer a statement of a lane. */
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
  /** After this silence a lane is asked whether it still answers before a statement is sent. */
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
  lockMs: 3000,
  quietMs: 1000,
  lifetimeSeconds: 1800,
};

/** What the server is given less than the client, so that its own error comes first where it still answers. */
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

  constructor(onLost: (reason: string) => void) {
    this.onLost = onLost;
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
    for (const client of this.open) client.cut(reason);
  }

  /** Closes those in use at once. */
  cutBusy(reason: string): void {
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

/** What pools of these connections have in common. */
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
export class WatchedClient extends pg.Client {
  /** How long the statements sent from now on may take, in milliseconds. */
  limitMs: number;
  /** When the server last answered, by `performance.now()`. */
  heardAt = performance.now();
  /** Why the connection is of no use any more; undefined while it is. */
  lost: Error | undefined;
  /** Whether a connection pooler stands between, so that nothing may be left behind in a session. */
  isPooled = false;
  private running = 0;
  private readonly connections: Connections;
  private isReported = false;

  constructor(config: WatchedConfig) {
    super(config);
    this.limitMs = config.answerMs;
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

  /** Finds out whether a pooler stands between: it gives its clients numbers of its own for their sessions. */
  async noticePooler(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { processID } = this as unknown as { readonly processID: number | null };
    this.isPooled = rows[0]?.pid !== processID;
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
    const sentAt = performance.now();
    const { limitMs } = this;
    const timer = setTimeout(() => {
      this.cut(`the server left a statement without an answer for ${limitMs} ms`);
      this.connections.closeQuietSince(sentAt);
    }, limitMs);
    const settled = () => {
      clearTimeout(timer);
      this.running -= 1;
      if (this.lost === undefined) this.heardAt = performance.now();
    };
    this.running += 1;
    result.then(settled, settled);
    return result;
  }
}

function streamOf(client: pg.Client): { destroy(error: Error): void } {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  return connection.stream;
}
