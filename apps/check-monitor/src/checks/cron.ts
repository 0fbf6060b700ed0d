import { type CronFields, parseCronFields, type WeekdayOfMonth } from './cron-fields.js';
import { type LocalTime, localTimeIn } from './local-time.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const horizonYears = 50;

/** A cron text that can be asked for its occurrences; instants and walls are milliseconds. */
export interface CronSchedule {
  /** First occurrence after `after` in the zone `tz`; undefined when there is none within 50 years. */
  next(after: number, tz: string): number | undefined;
}

/** Schedule of a cron text, or undefined when its grammar is wrong or it never comes (`0 0 31 2 *`). */
export function parseCron(text: string): CronSchedule | undefined {
  const fields = parseCronFields(text);
  if (fields === undefined) return undefined;
  const walls = new WallSearch(fields);
  if (walls.firstFrom(Date.UTC(2000, 0, 1)) === undefined) return undefined;
  const next = fields.isFixedTime ? nextFixedTime : nextRealTime;
  return { next: (after, tz) => next(walls, localTimeIn(tz), after) };
}

/**
 * Follows real time: what the clocks skip is skipped, what they repeat comes twice.
 * Within one offset the search is plain counting, so it goes from one change of the clocks to the next.
 */
function nextRealTime(walls: WallSearch, local: LocalTime, after: number): number | undefined {
  const last = addYears(after, horizonYears);
  for (let from = nextMinute(after); from < last; ) {
    const { until, offsetMs } = local.spanAt(from);
    const wall = walls.firstFrom(from + offsetMs);
    if (wall === undefined) return undefined;
    if (wall - offsetMs < until) return wall - offsetMs;
    from = until;
  }
  return undefined;
}

/** Comes once: a skipped time at the end of the gap, a repeated one the first time. */
function nextFixedTime(walls: WallSearch, local: LocalTime, after: number): number | undefined {
  let wall = walls.firstFrom(Math.floor(local.wallAt(after) / minuteMs) * minuteMs);
  while (wall !== undefined) {
    const { instant } = local.firstInstantOf(wall);
    if (instant > after) return instant;
    wall = walls.firstFrom(wall + minuteMs);
  }
  return undefined;
}

class WallSearch {
  readonly #fields: CronFields;
  readonly #minutesOfDay: readonly number[];

  constructor(fields: CronFields) {
    this.#fields = fields;
    const ascending = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b);
    this.#minutesOfDay = ascending(fields.hours).flatMap((hour) =>
      ascending(fields.minutes).map((minute) => hour * 60 + minute),
    );
  }

  /** First matching wall not before `wall`, a whole minute; undefined when none comes within 50 years. */
  firstFrom(wall: number): number | undefined {
    const last = addYears(wall, horizonYears);
    let day = Math.floor(wall / dayMs) * dayMs;
    const minuteOfDay = (wall - day) / minuteMs;
    const today = this.#matchesDay(day)
      ? this.#minutesOfDay.find((minute) => minute >= minuteOfDay)
      : undefined;
    if (today !== undefined) return day + today * minuteMs;
    const [firstMinute = 0] = this.#minutesOfDay;
    for (day += dayMs; day <= last; day += dayMs) {
      if (this.#matchesDay(day)) return day + firstMinute * minuteMs;
    }
    return undefined;
  }

  #matchesDay(day: number): boolean {
    const date = new Date(day);
    const { months, bothDaysMustMatch } = this.#fields;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byDay = this.#matchesDayOfMonth(date);
    const byWeekday = this.#matchesWeekday(date);
    return bothDaysMustMatch ? byDay && byWeekday : byDay || byWeekday;
  }

  #matchesDayOfMonth(date: Date): boolean {
    const { daysOfMonth, lastDayOfMonth, lastWorkdayOfMonth } = this.#fields;
    const day = date.getUTCDate();
    if (daysOfMonth.has(day)) return true;
    const lastDay = lengthOfMonth(date);
    if (lastDayOfMonth && day === lastDay) return true;
    return lastWorkdayOfMonth && day === lastWorkday(date, lastDay);
  }

  #matchesWeekday(date: Date): boolean {
    const { weekdays, weekdaysOfMonth } = this.#fields;
    return weekdays.has(date.getUTCDay()) || weekdaysOfMonth.some((rule) => matchesInMonth(rule, date));
  }
}

function matchesInMonth({ weekday, nth }: WeekdayOfMonth, date: Date): boolean {
  if (weekday !== date.getUTCDay()) return false;
  const day = date.getUTCDate();
  return nth === 'last' ? day > lengthOfMonth(date) - 7 : Math.ceil(day / 7) === nth;
}

function lastWorkday(date: Date, lastDay: number): number {
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), lastDay)).getUTCDay();
  if (weekday === 6) return lastDay - 1;
  return weekday === 0 ? lastDay - 2 : lastDay;
}

function lengthOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function nextMinute(instant: number): number {
  return (Math.floor(instant / minuteMs) + 1) * minuteMs;
}

function addYears(instant: number, years: number): number {
  return instant + years * 365.25 * dayMs;
}
