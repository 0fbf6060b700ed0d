/** How fast the CA of a provider takes orders, since it refused one for its rate limit (429); as it is stored. */
export interface ProviderPace {
  /** No renewal is begun before. */
  readonly pausedUntil: string;
  readonly refusedAt: string;
  /** Refusals in a row; 0 once an order was taken since. */
  readonly refusals: number;
  /** Milliseconds between two renewals. */
  readonly intervalMs: number;
  /** When the one renewal was begun that tries the CA after a pause; null before. */
  readonly probedAt: string | null;
  /** When the next renewal may be begun; null before the probe has ended. */
  readonly nextAt: string | null;
}

const second = 1000;
const minute = 60 * second;
const day = 1440 * minute;

/** A CA that has refused nothing for so long has no pace. */
const forgottenAfterMs = day;
const minIntervalMs = 50;
/** A probe that takes longer does not hold up the others: the CA has taken its order. */
const probeMs = 2 * minute;
/** Renewals that were not needed for so long may be made up for. */
const savedMs = minute;
const fasterBy = 0.98;
const slowerBy = 1.25;

export interface RateRefusal {
  readonly now: Date;
  /** Until when the CA is left alone. */
  readonly until: Date;
  /** Renewals that the CA took in the `windowMs` before. */
  readonly accepted: number;
  readonly windowMs: number;
  /** 0 to 1: spreads the ends of the pauses. */
  readonly random: number;
}

/** Time before a refusal in which the renewals are counted that the CA took. */
export function windowBefore(until: Date, now: Date): number {
  return Math.min(3 * 60 * minute, Math.max(minute, until.getTime() - now.getTime()));
}

/**
 * The pace after a refusal: a pause, and after the first one the rate that has worked; a quarter slower than before, if
 * the CA had taken an order since the last refusal.
 */
export function paceAfterRefusal(
  before: ProviderPace | null,
  { now, until, accepted, windowMs, random }: RateRefusal,
): ProviderPace {
  const jitterMs = random * Math.min(5 * second, (until.getTime() - now.getTime()) / 10);
  const pausedUntil = new Date(until.getTime() + Math.floor(jitterMs));
  const paused = { refusedAt: now.toISOString(), probedAt: null, nextAt: null };
  if (before === null) {
    const intervalMs = Math.max(minIntervalMs, windowMs / Math.max(1, accepted));
    return { ...paused, pausedUntil: pausedUntil.toISOString(), refusals: 1, intervalMs };
  }
  // calls that were under way together are refused together
  if (now < new Date(before.pausedUntil)) {
    const later = new Date(Math.max(pausedUntil.getTime(), Date.parse(before.pausedUntil)));
    return { ...before, pausedUntil: later.toISOString() };
  }
  const intervalMs = before.nextAt === null ? before.intervalMs : before.intervalMs * slowerBy;
  return {
    ...paused,
    pausedUntil: pausedUntil.toISOString(),
    refusals: before.refusals + 1,
    intervalMs: Math.min(day, intervalMs),
  };
}

/** Renewals with a provider at a moment. */
export interface PaceNow {
  readonly now: Date;
  /** Renewals by the provider that are under way in all processes. */
  readonly underWay: number;
}

/** How many renewals may be begun now, and the pace with what is known now; null if it is forgotten. */
export function roomOf(
  pace: ProviderPace | null,
  { now, underWay }: PaceNow,
): { readonly room: number; readonly pace: ProviderPace | null } {
  const unlimited = { room: Number.POSITIVE_INFINITY, pace: null };
  if (pace === null) return unlimited;
  const at = now.getTime();
  // a refusal in the future was stored by a clock that was ahead
  if (Date.parse(pace.refusedAt) - at > minute) return unlimited;
  if (at - Date.parse(pace.refusedAt) > Math.max(forgottenAfterMs, 2 * pace.intervalMs)) return unlimited;
  if (at < Date.parse(pace.pausedUntil)) return { room: 0, pace };
  if (pace.probedAt === null) return { room: underWay === 0 ? 1 : 0, pace };
  const probedAt = Date.parse(pace.probedAt);
  if (pace.nextAt === null) {
    if (underWay > 0 && at - probedAt < probeMs) return { room: 0, pace };
    const nextAt = new Date(probedAt + pace.intervalMs).toISOString();
    return roomOf({ ...pace, refusals: 0, nextAt }, { now, underWay });
  }
  const from = Math.max(Date.parse(pace.nextAt), at - savedMs);
  const room = at < from ? 0 : Math.floor((at - from) / pace.intervalMs) + 1;
  return { room, pace: { ...pace, nextAt: new Date(from).toISOString() } };
}

/** The pace after so many renewals were begun: each makes it a little faster, until the CA refuses again. */
export function paceAfterBegin(pace: ProviderPace, count: number, now: Date): ProviderPace | null {
  if (count === 0) return pace;
  if (pace.nextAt === null) return { ...pace, probedAt: now.toISOString() };
  const nextAt = new Date(Date.parse(pace.nextAt) + count * pace.intervalMs).toISOString();
  const intervalMs = pace.intervalMs * fasterBy ** count;
  return intervalMs < minIntervalMs ? null : { ...pace, nextAt, intervalMs };
}

/** Milliseconds until there may be room; undefined without a pace. */
export function roomInMs(pace: ProviderPace | null, now: Date): number | undefined {
  if (pace === null) return undefined;
  const { pausedUntil, probedAt, nextAt, intervalMs } = pace;
  const coming = nextAt ?? (probedAt === null ? pausedUntil : new Date(Date.parse(probedAt) + intervalMs));
  return Math.max(0, new Date(coming).getTime() - now.getTime());
}

/** Milliseconds between two renewals that the CA takes; undefined while it has refused nothing. */
export function forcedIntervalMs(stored: ProviderPace | null, now: Date): number | undefined {
  return roomOf(stored, { now, underWay: 0 }).pace?.intervalMs;
}

/** Pace as it is shown; undefined while the CA has refused nothing. */
export interface ShownPace {
  readonly perMinute: number;
  /** Renewals that may be begun now. */
  readonly room: number;
  readonly pausedUntil?: string;
  /** How often in a row the CA refused. */
  readonly refusals: number;
}

export function shownPace(stored: ProviderPace | null, now: Date): ShownPace | undefined {
  const { room, pace } = roomOf(stored, { now, underWay: 0 });
  if (pace === null) return undefined;
  const perMinute = Math.round((minute / pace.intervalMs) * 100) / 100;
  const { pausedUntil, refusals } = pace;
  return { perMinute, room, refusals, ...(now < new Date(pausedUntil) && { pausedUntil }) };
}
