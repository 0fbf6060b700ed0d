import {
  type ProviderPace,
  paceAfterBegin,
  paceAfterRefusal,
  roomInMs,
  roomOf,
  windowBefore,
} from '../../../src/providers/pace/provider-pace.js';
import { nextTry } from '../../../src/renewals/queue/retry-policy.js';

/** Renewals that are due at once by a CA with little room. */
export interface PaceCase {
  readonly names: number;
  /** Orders that the CA takes in each minute of its clock; others are refused until the next one. */
  readonly perMinute: number;
  readonly lifetimeMs: number;
  /** Time left of the certificates when they are due, at least and at most. */
  readonly leftMs: readonly [number, number];
  readonly processes: number;
  /** Whether the CA says how long to wait. */
  readonly saysWhen: boolean;
  readonly seed: number;
  /** With the delays of each entry alone, as before there was a pace. */
  readonly isUnpaced?: boolean;
}

export interface PaceEnd {
  /** Certificates that expired before they were renewed. */
  readonly expired: number;
  readonly refused: number;
  /** Until all were renewed. */
  readonly seconds: number;
}

interface Entry {
  readonly notBefore: Date;
  readonly notAfter: Date;
  dueAt: number;
  attempt: number;
  state: 'waiting' | 'under way' | 'done';
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-01T00:00:00Z');
const concurrency = 8;
const orderMs = 2 * second;
const ladder = [1, 10, 100].map((minutes) => minutes * minute);

/** Works through the queue by the rules of the service, second by second, with a clock of its own. */
export function simulatePace(given: PaceCase): PaceEnd {
  const random = randomOf(given.seed);
  const entries = entriesOf(given, random);
  const queue = new Queue(given, entries, random);
  let now = start;
  for (; entries.some(({ state }) => state !== 'done'); now += second) {
    if (now > start + 60 * day) break;
    queue.tick(now);
  }
  return { expired: queue.expired, refused: queue.refused, seconds: (now - start) / second };
}

function entriesOf(
  { names, lifetimeMs, leftMs: [minLeftMs, maxLeftMs] }: PaceCase,
  random: () => number,
): Entry[] {
  return Array.from({ length: names }, () => {
    const notAfter = start + minLeftMs + Math.floor(random() * (maxLeftMs - minLeftMs));
    const validity = { notBefore: new Date(notAfter - lifetimeMs), notAfter: new Date(notAfter) };
    return { ...validity, dueAt: start, attempt: 1, state: 'waiting' as const };
  });
}

class Queue {
  readonly #given: PaceCase;
  readonly #entries: readonly Entry[];
  readonly #random: () => number;
  readonly #runAt: number[];
  readonly #underWay: { readonly entry: Entry; readonly process: number; readonly endsAt: number }[] = [];
  readonly #completed: number[] = [];
  #pace: ProviderPace | null = null;
  #window = -1;
  #taken = 0;
  expired = 0;
  refused = 0;

  constructor(given: PaceCase, entries: readonly Entry[], random: () => number) {
    this.#given = given;
    this.#entries = entries;
    this.#random = random;
    this.#runAt = Array.from({ length: given.processes }, () => start);
  }

  tick(now: number): void {
    const ended = this.#underWay.filter(({ endsAt }) => endsAt <= now);
    for (const one of ended) {
      this.#underWay.splice(this.#underWay.indexOf(one), 1);
      this.#settle(one.entry, now);
      this.#runAt[one.process] = now;
    }
    this.#runAt.forEach((at, process) => {
      if (at <= now) this.#run(process, now);
    });
  }

  #run(process: number, now: number): void {
    const own = this.#underWay.filter((one) => one.process === process).length;
    const claimed = this.#claim(now, concurrency - own);
    for (const entry of claimed) {
      entry.state = 'under way';
      this.#underWay.push({ entry, process, endsAt: now + orderMs });
    }
    const waitMs = roomInMs(this.#pace, new Date(now)) ?? minute;
    this.#runAt[process] = now + Math.min(minute, Math.max(5 * second, waitMs));
  }

  #claim(now: number, free: number): Entry[] {
    const due = this.#entries.filter(({ state, dueAt }) => state === 'waiting' && dueAt <= now);
    const { room, pace } = roomOf(this.#pace, { now: new Date(now), underWay: this.#underWay.length });
    const isPaced = pace !== null;
    due.sort((a, b) => (isPaced ? a.notAfter.getTime() - b.notAfter.getTime() : a.dueAt - b.dueAt));
    const claimed = due.slice(0, Math.max(0, Math.min(free, room)));
    this.#pace = pace && paceAfterBegin(pace, claimed.length, new Date(now));
    return claimed;
  }

  #settle(entry: Entry, now: number): void {
    const { perMinute } = this.#given;
    const window = Math.floor(now / minute);
    if (window !== this.#window) [this.#window, this.#taken] = [window, 0];
    if (this.#taken < perMinute) {
      this.#taken += 1;
      entry.state = 'done';
      this.#completed.push(now);
      if (now > entry.notAfter.getTime()) this.expired += 1;
      return;
    }
    this.refused += 1;
    entry.state = 'waiting';
    entry.dueAt = this.#retryAt(entry, new Date(now));
    entry.attempt += 1;
  }

  #retryAt({ attempt, notBefore, notAfter }: Entry, now: Date): number {
    const { saysWhen, isUnpaced = false } = this.#given;
    const endOfWindow = new Date((Math.floor(now.getTime() / minute) + 1) * minute);
    const retryAt = saysWhen ? endOfWindow : undefined;
    if (isUnpaced) return formerRetryAt({ attempt, now, notBefore, notAfter });
    const failed = { now, notBefore, notAfter, isRateLimited: true, retryAt };
    const refusals = this.#pace?.refusals ?? 0;
    const bounded = nextTry({ ...failed, attempt: retryAt === undefined ? refusals + 1 : attempt });
    const until = retryAt !== undefined && retryAt < bounded ? retryAt : bounded;
    const windowMs = windowBefore(until, now);
    const accepted = this.#completed.filter((at) => at > now.getTime() - windowMs).length;
    const random = this.#random();
    this.#pace = paceAfterRefusal(this.#pace, { now, until, accepted, windowMs, random });
    return Date.parse(this.#pace.pausedUntil);
  }
}

/** The delays of each entry alone: 1, 10 and 100 minutes, then a day, whatever the CA asked for within them. */
function formerRetryAt({
  attempt,
  now,
  notBefore,
  notAfter,
}: Pick<Entry, 'attempt' | 'notBefore' | 'notAfter'> & { readonly now: Date }): number {
  const lifetime = notAfter.getTime() - notBefore.getTime();
  const left = notAfter.getTime() - now.getTime();
  const minMs = Math.min(minute, Math.max(second, lifetime / 120));
  const afterExpiry = Math.min(day, Math.max(minute, lifetime / 10));
  const maxMs = left > 0 ? Math.max(minMs, left / 8, left - lifetime / 10) : afterExpiry;
  return now.getTime() + Math.min(ladder[attempt - 1] ?? day, maxMs);
}

/** Numbers from 0 to 1 that look random, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
