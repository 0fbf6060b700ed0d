import pg from 'pg';
import { connectionName } from './connection-name.js';

/** Values by which the server identifies a session or a transaction. */
export interface Traces {
  /** Process of the server; several sessions may have had it, one after another. */
  readonly pid: number;
  /** When the session began, or behind a connection pooler the transaction; text of the server. */
  readonly startedAt: string;
  readonly of: 'session' | 'transaction';
}

/** A connection whose server has left a statement without an answer for some seconds. */
export interface Suspect {
  /** Undefined where the server cannot be asked about it. */
  readonly traces: Traces | undefined;
  /** Whether a statement still waits for its answer. */
  readonly isWaiting: boolean;
  /** Closes the connection: the way to the server is broken. */
  giveUp(reason: string): void;
}

export interface SilenceDetectorOptions {
  readonly url: string;
  /** How long a new connection may take, in milliseconds. */
  readonly connectMs: number;
  /** How long the server may take to say what it works on, and the pause while it works. */
  readonly answerMs: number;
}

/** Statement that returns the traces of the session that runs it. */
export const sessionTraces = `select pg_backend_pid() as pid, (select extract(epoch from backend_start)::text
  from pg_stat_activity a where a.pid = pg_backend_pid()) as started_at`;

/** The same for the transaction that runs it. */
export const transactionTraces =
  'select pg_backend_pid() as pid, extract(epoch from now())::text as started_at';

const activity = `select pid, state, extract(epoch from backend_start)::text as session,
  extract(epoch from xact_start)::text as transaction, extract(epoch from state_change)::text as changed_at
  from pg_stat_activity where pid = any($1)`;

// frees the locks that the session would hold until its time limit
const end = `select pg_terminate_backend(pid) from pg_stat_activity where pid = $1
  and extract(epoch from backend_start)::text = $2 and state like 'idle in transaction%'`;

/**
 * Finds out whether the server still works on statements that got no answer for some seconds. A new connection asks
 * the server: where it says twice, with a pause, that it does not work on the statement, the answer or the statement
 * was lost on its way, and the connection is given up. As long as the server works on it, or gives no answer on a new
 * connection either, the connection stays until its time limit.
 */
export class SilenceDetector {
  /** Last response of the server about each suspect, if the server did nothing for it. */
  private readonly suspects = new Map<Suspect, string | undefined>();
  private readonly options: SilenceDetectorOptions;
  private isAtWork = false;
  private asking: pg.Client | undefined;

  constructor(options: SilenceDetectorOptions) {
    this.options = options;
  }

  /** Watches a connection until `trust`. */
  doubt(suspect: Suspect): void {
    if (suspect.traces === undefined || this.suspects.has(suspect)) return;
    this.suspects.set(suspect, undefined);
    if (!this.isAtWork) void this.watch();
  }

  /** An answer came. */
  trust(suspect: Suspect): void {
    if (!this.suspects.has(suspect)) return;
    if (suspect.isWaiting) this.suspects.set(suspect, undefined);
    else this.suspects.delete(suspect);
  }

  /** Watches nothing any more, and closes its own connection at once. */
  stop(): void {
    this.suspects.clear();
    if (this.asking !== undefined) streamOf(this.asking).destroy();
  }

  private async watch(): Promise<void> {
    this.isAtWork = true;
    while (this.suspects.size > 0) {
      const isSettled = await this.ask([...this.suspects.keys()]).catch(() => false);
      await pause(isSettled ? this.options.answerMs : this.options.answerMs / 3);
    }
    this.isAtWork = false;
  }

  /** Whether the server works on the statements of all; rejects where it does not answer. */
  private async ask(suspects: readonly Suspect[]): Promise<boolean> {
    const { url, connectMs, answerMs } = this.options;
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      application_name: connectionName,
    });
    client.on('error', () => undefined);
    this.asking = client;
    try {
      await client.connect();
      const pids = suspects.flatMap(({ traces }) => traces?.pid ?? []);
      const { rows } = await client.query<Activity>(activity, [pids]);
      const lost = suspects.filter((suspect) => this.isLost(suspect, rows));
      for (const suspect of lost) {
        this.suspects.delete(suspect);
        suspect.giveUp('a statement or its answer was lost on the way');
      }
      for (const { traces } of lost)
        if (traces?.of === 'session') await client.query(end, [traces.pid, traces.startedAt]);
      await client.end();
      return [...this.suspects.values()].every((idle) => idle === undefined);
    } finally {
      this.asking = undefined;
      streamOf(client).destroy();
    }
  }

  private isLost(suspect: Suspect, rows: readonly Activity[]): boolean {
    // it may have been answered in the meantime
    if (!this.suspects.has(suspect)) return false;
    const idle = idleSince(suspect.traces, rows);
    if (idle !== undefined && this.suspects.get(suspect) === idle) return true;
    this.suspects.set(suspect, idle);
    return false;
  }
}

export interface Activity {
  readonly pid: number;
  readonly state: string | null;
  readonly session: string | null;
  readonly transaction: string | null;
  readonly changed_at: string | null;
}

/**
 * Since when the server has done nothing for a session, as text of the server, or 'gone' where it has no such session;
 * undefined where it works, or does not say.
 */
export function idleSince(traces: Traces | undefined, rows: readonly Activity[]): string | undefined {
  if (traces === undefined) return undefined;
  const row = rows.find(
    ({ pid, [traces.of]: startedAt }) => pid === traces.pid && startedAt === traces.startedAt,
  );
  if (row === undefined) return 'gone';
  return row.state?.startsWith('idle') === true ? (row.changed_at ?? undefined) : undefined;
}

/** The socket below a connection, which closes without a word to the server. */
export function streamOf(client: pg.Client): { destroy(error?: Error): void } {
  const { connection } = client as unknown as { connection: { stream: { destroy(error?: Error): void } } };
  return connection.stream;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
