import type { Logger } from '../observability/logger.js';
import type { Clock } from './clock.js';

/** The clocks that are compared; each in milliseconds. */
export interface ClockSources {
  /** The clock of the host, since 1970. */
  readonly wall: () => number;
  /** Time that passes, from any beginning; no change of the host's clock moves it. */
  readonly monotonic: () => number;
  /** The clock of the database, since 1970; undefined if it is the host's. */
  readonly database?: (() => Promise<number>) | undefined;
}

/** How the clocks compare. */
export interface ClockReading {
  /** Whether it is known what time it is. While it is not, no work is begun by its due time. */
  readonly isSettled: boolean;
  /** Jumps of the host's clock or of the database's by a minute or more, since the start. */
  readonly jumps: number;
  /** How far the host's clock is ahead of the database's; undefined if there is none, or before the first answer. */
  readonly databaseSeconds: number | undefined;
  /** How far this clock is ahead of the last CA that said what time it is; undefined before the first answer. */
  readonly caSeconds: number | undefined;
}

/**
 * A clock that follows the host's and does not jump with it: after a jump of a minute or more it goes on by the monotonic
 * clock until the time is certain. Where the database has a clock of its own, that is the clock of all processes.
 */
export interface SteadyClock extends Clock {
  /** As `now`, in milliseconds with their fraction. */
  ms(): number;
  /** Compares the clocks; for a start and every few seconds. Never rejects. */
  check(): Promise<void>;
  /** Takes note of the time in the `Date` of a CA's response. */
  noteCaDate(date: string | null): void;
  read(): ClockReading;
  /** Returns what differs between the clocks, in a sentence; undefined while they agree. */
  fault(): string | undefined;
}

/** From this difference on, a change of a clock is a jump. */
const jumpMs = 60_000;
/** Up to this difference, two clocks agree. */
const agreeMs = 2000;
/** A time that nothing else confirms is accepted after this. */
const holdMs = 300_000;
const caApartMs = 3_600_000;

export function createSteadyClock(sources: ClockSources, logger: Pick<Logger, 'info' | 'warn'>): SteadyClock {
  return new ComparedClock(sources, logger);
}

class ComparedClock implements SteadyClock {
  readonly #sources: ClockSources;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  /** This clock shows the monotonic one plus this. */
  #origin: number;
  /** How far this clock is ahead of the host's. */
  #offset = 0;
  #heldSince: number | undefined;
  #jumps = 0;
  #databaseMs: number | undefined;
  #caMs: number | undefined;
  /** A CA that stays hours away is ignored after the first five minutes. */
  #ca: 'agrees' | 'doubted' | 'ignored' = 'agrees';

  constructor(sources: ClockSources, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#sources = sources;
    this.#logger = logger;
    this.#origin = sources.wall() - sources.monotonic();
  }

  readonly ms = (): number => {
    const gap = this.#hostTime() - this.#shown();
    if (this.#heldSince === undefined && Math.abs(gap) < jumpMs) {
      // small changes are followed at once, as those of a time service
      if (Math.abs(gap) > 5) this.#origin += gap;
    } else this.#hold('host');
    return this.#shown();
  };

  readonly now = (): Date => new Date(Math.floor(this.ms()));

  readonly check = async (): Promise<void> => {
    this.ms();
    const { monotonic, database } = this.#sources;
    if (database === undefined) return this.#compareHost();
    try {
      const began = monotonic();
      const time = await database();
      const tookMs = monotonic() - began;
      // a late answer shows no time
      if (!Number.isNaN(time) && tookMs <= agreeMs / 2) this.#compareDatabase(time + tookMs / 2);
    } catch (error) {
      this.#logger.info({ reason: String(error) }, 'clock.database_not_asked');
    }
  };

  readonly noteCaDate = (date: string | null): void => {
    const time = Date.parse(date ?? '');
    if (Number.isNaN(time)) return;
    this.#caMs = this.ms() - time;
    const { wall, database } = this.#sources;
    if (database !== undefined) return;
    const isHeld = this.#heldSince !== undefined;
    if (isHeld && Math.abs(wall() - time) < jumpMs) this.#settle(wall(), 'ca');
    else if (Math.abs(this.#caMs) <= caApartMs) this.#ca = 'agrees';
    else if (!isHeld && this.#ca === 'agrees') {
      this.#ca = 'doubted';
      this.#hold('ca');
    }
  };

  readonly read = (): ClockReading => ({
    isSettled: this.#heldSince === undefined,
    jumps: this.#jumps,
    databaseSeconds: seconds(this.#databaseMs),
    caSeconds: seconds(this.#caMs),
  });

  readonly fault = (): string | undefined =>
    faultOf({
      isHeld: this.#heldSince !== undefined,
      databaseMs: this.#databaseMs,
      caMs: this.#caMs,
    });

  #shown(): number {
    return this.#origin + this.#sources.monotonic();
  }

  #hostTime(): number {
    return this.#sources.wall() + this.#offset;
  }

  #hold(cause: string): void {
    if (this.#heldSince !== undefined) return;
    this.#heldSince = this.#sources.monotonic();
    this.#jumps += 1;
    const host = iso(this.#sources.wall());
    this.#logger.warn({ cause, clock: iso(this.#shown()), host }, 'clock.jumped');
  }

  #settle(time: number, by: string): void {
    const { wall, monotonic } = this.#sources;
    this.#origin = time - monotonic();
    this.#offset = Math.abs(time - wall()) > agreeMs ? time - wall() : 0;
    if (this.#heldSince !== undefined)
      this.#logger.warn({ clock: iso(time), host: iso(wall()), by }, 'clock.settled');
    this.#heldSince = undefined;
  }

  #hasHeldLong(): boolean {
    return this.#heldSince !== undefined && this.#sources.monotonic() - this.#heldSince >= holdMs;
  }

  #compareHost(): void {
    if (this.#heldSince === undefined) return;
    if (Math.abs(this.#hostTime() - this.#shown()) < jumpMs && this.#ca !== 'doubted')
      this.#settle(this.#hostTime(), 'host');
    else if (this.#hasHeldLong()) {
      if (this.#ca === 'doubted') this.#ca = 'ignored';
      this.#settle(this.#sources.wall(), 'time');
    }
  }

  #compareDatabase(time: number): void {
    const isFirst = this.#databaseMs === undefined;
    this.#databaseMs = this.#sources.wall() - time;
    const isOnTime = Math.abs(time - this.#shown()) < jumpMs;
    const isConfirmed = isOnTime || Math.abs(this.#databaseMs) <= agreeMs;
    if (isFirst || isConfirmed || this.#hasHeldLong()) this.#settle(time, 'database');
    else this.#hold('database');
  }
}

function faultOf({
  isHeld,
  databaseMs = 0,
  caMs = 0,
}: {
  readonly isHeld: boolean;
  readonly databaseMs: number | undefined;
  readonly caMs: number | undefined;
}): string | undefined {
  const parts = [
    ...(isHeld ? ['the clock jumped, and no new work is begun until the time is certain'] : []),
    ...(Math.abs(databaseMs) > agreeMs ? [`the host's clock is ${apart(databaseMs)} the database's`] : []),
    ...(Math.abs(caMs) > caApartMs ? [`the clock is ${apart(caMs)} the one of a CA`] : []),
  ];
  return parts.length === 0 ? undefined : `${parts.join('; ')}. Synchronize the clocks of the hosts.`;
}

function apart(ms: number): string {
  return `${Math.round(Math.abs(ms) / 1000)} s ${ms > 0 ? 'ahead of' : 'behind'}`;
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : Math.round(ms) / 1000);
const iso = (ms: number) => new Date(Math.floor(ms)).toISOString();

/** The clocks of this process and of the database, if that has one. */
export function systemSources(database: ClockSources['database']): ClockSources {
  return {
    wall: Date.now,
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    database,
  };
}
