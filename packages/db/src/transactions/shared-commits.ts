import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { beginWhenFree, type FileHold } from './retry.js';
import { inTransaction, type Session } from './runner.js';
import { yieldBetween } from './yield-between.js';

/** The connection that writes, for one caller at a time. */
export interface WritingConnection {
  alone<T>(work: () => Promise<T>): Promise<T>;
  newSession(): Session;
}

type Work = (tx: EntityManager) => Promise<unknown>;

interface WaitingWork {
  /** Bound to the context of its caller. */
  readonly work: Work;
  /** In milliseconds of `performance.now()`. */
  readonly askedAt: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles the promise of a caller after the commit. */
type Answer = () => void;

/** Limits of a shared commit. */
export interface SharingLimits {
  /** Maximum number of transactions in one commit. */
  readonly maxJoined: number;
  /** After this time no transaction joins, so that the first one waits for the others no longer than for the disk. */
  readonly joinMs: number;
  /** How long the work of one may take; statements of SQLite do not count, as nothing else runs in the meantime. */
  readonly workMs: number;
  /** How long one waits while another process holds the file. */
  readonly patienceMs: number;
}

// as many as lie between a request that has arrived and its transaction; four empty ones take some microseconds
const turnsBeforeBegin = 4;

const usual: SharingLimits = { maxJoined: 64, joinMs: 20, workMs: 30_000, patienceMs: 5000 };

/**
 * Commits waiting transactions of SQLite together. Each runs in its own savepoint, in the order of arrival. One sync to
 * disk serves all of them, and callers are answered after it. A transaction that fails rolls back only its own changes.
 * A single transaction waits only for requests that have already arrived. If the commit fails, it fails for all: later
 * transactions may have read what earlier ones wrote. A transaction that waits for anything but the database is cancelled
 * after `workMs`, since all others wait for it.
 */
export class SharedCommits {
  private readonly connection: WritingConnection;
  private readonly waiting: WaitingWork[] = [];
  private readonly limits: SharingLimits;
  private readonly hold: FileHold;
  private isAtWork = false;

  constructor(
    connection: WritingConnection,
    limits: Partial<SharingLimits> = {},
    hold: FileHold = { since: undefined },
  ) {
    this.connection = connection;
    this.hold = hold;
    this.limits = { ...usual, ...limits };
  }

  write<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const own = AsyncResource.bind(work) as Work;
      const askedAt = performance.now();
      this.waiting.push({ work: own, askedAt, resolve: resolve as WaitingWork['resolve'], reject });
      if (!this.isAtWork) void this.workOff();
    });
  }

  private async workOff(): Promise<void> {
    this.isAtWork = true;
    for await (const _round of yieldBetween()) {
      if (this.waiting.length === 0) break;
      // the event loop stands still during a commit: let what has arrived in the meantime share the next one
      for (let turn = 0; turn < turnsBeforeBegin; turn += 1) await nextTurn();
      await this.connection.alone(() => this.commitGroup());
    }
    this.isAtWork = false;
  }

  /** Never rejects: each participant learns the outcome from its own promise. */
  private async commitGroup(): Promise<void> {
    const taken: WaitingWork[] = [];
    const answers: Answer[] = [];
    const group = this.connection.newSession();
    try {
      const askedAt = this.waiting[0]?.askedAt;
      const { hold } = this;
      const { patienceMs } = this.limits;
      await beginWhenFree(() => group.control('BEGIN IMMEDIATE'), { askedAt, hold, patienceMs });
      const start = performance.now();
      for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
        taken.push(next);
        answers.push(await this.inSavepoint(next));
        if (taken.length === this.limits.maxJoined || performance.now() - start > this.limits.joinMs) break;
      }
      await group.control('COMMIT');
    } catch (error) {
      await group.control('ROLLBACK').catch(() => undefined);
      // the transaction could not begin: the first caller gets the error, the others are retried
      const first = taken.length === 0 ? this.waiting.splice(0, 1) : taken;
      for (const { reject } of first) reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  /** Rejects only when the whole transaction is lost. */
  private async inSavepoint({ work, resolve, reject }: WaitingWork): Promise<Answer> {
    const session = this.connection.newSession();
    const back = { isLost: false };
    const bounds = {
      begin: () => session.control('SAVEPOINT shared'),
      commit: () => session.control('RELEASE shared'),
      rollback: async () => {
        try {
          await session.control('ROLLBACK TO shared');
          await session.control('RELEASE shared');
        } catch (error) {
          // SQLite rolls the whole transaction back on its own when the disk is full or fails
          back.isLost = true;
          throw error;
        }
      },
    };
    try {
      const value = await inTransaction(session, bounds, (tx) => within(this.limits.workMs, work(tx)));
      return () => resolve(value);
    } catch (error) {
      if (back.isLost) throw error;
      return () => reject(error);
    }
  }
}

/** Returns what the work resolves with; rejects when that takes longer. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`the transaction was given up, as it did not end within ${ms} ms`));
    const timer = setTimeout(late, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
