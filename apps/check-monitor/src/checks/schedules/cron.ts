import { type CronFields, parseCronFields, type WeekdayOfMonth } from './cron-fields.js';
import { type CountStep, DaySearch } from './day-search.js';
import { type LocalTime, localTimeIn } from './local-time.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const horizonYears = 50;

/** A cron text that can be asked for its occurrences; instants and walls are milliseconds. */
export interface CronSchedule {
  /** First occurrence after `after` in the zone `tz`; undefined if there is none within 50 years. */
  next(after: number, tz: string): number | undefined;
}

/**
 * Schedule of a cron text, or undefined when its grammar is wrong or it never comes (`0 0 31 2 *`). The package
 * cron-parser shifts times that the clocks skip, and accepts texts that the API refuses. The cases in which Healthchecks
 * has another result are in `test/data/cron/departures.json`.
 */
export function parseCron(text: string, countStep?: CountStep): CronSchedule | undefined {
  const fields = parseCronFields(text);
  if (fields === undefined) return undefined;
  const walls = new WallSearch(fields, countStep);
  if (walls.firstFrom(Date.UTC(2000, 0, 1)) === undefined) return undefined;
  const next = fields.isFixedTime ? nextFixedTime : nextRealTime;
  return { next: (after, tz) => next(walls, localTimeIn(tz), after) };
}

// the clocks of a zone never go back by more than a day, nor are two zones more than 26 hours apart
const farMs = 2 * dayMs;

/**
 * Follows real time: what the clocks skip is skipped, what they repeat comes twice.
 * Within one offset the search is plain counting, so it goes from one change of the clocks to the next, and straight
 * to the eve of a wall that is far away, as the changes before it cannot bring it about.
 */
function nextRealTime(walls: WallSearch, local: LocalTime, after: number): number | undefined {
  const last = addYears(after, horizonYears);
  for (let from = nextMinute(after); from < last; ) {
    const { until, offsetMs } = local.spanAt(from);
    const wall = walls.firstFrom(from + offsetMs);
    if (wall === undefined) return undefined;
    const instant = wall - offsetMs;
    if (instant < until) return instant;
    from = until - from < farMs ? until : Math.max(until, instant - farMs);
  }
  return undefined;
}

/** Comes once: a skipped time at the end of the gap, a repeated one the first time. */
function nextFixedTime(walls: WallSearch, local: LocalTime, after: number): number | undefined {
  let wall = walls.firstFrom(Math.floor(local.latestWallAt(after) / minuteMs) * minuteMs);
  while (wall !== undefined) {
    const { instant } = local.firstInstantOf(wall);
    if (instant > after) return instant;
    wall = walls.firstFrom(wall + minuteMs);
  }
  return undefined;
}

class WallSearch {
  readonly #days: DaySearch;
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #firstMs: number;
  readonly #countStep: CountStep;

  constructor(fields: CronFields, countStep: CountStep = () => undefined) {
    const ascending = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b);
    this.#hours = ascending(fields.hours);
    this.#minutes = ascending(fields.minutes);
    this.#firstMs = ((this.#hours[0] ?? 0) * 60 + (this.#minutes[0] ?? 0)) * minuteMs;
    this.#days = new DaySearch(dayPattern(fields), countStep);
    this.#countStep = countStep;
  }

  /** First matching wall not before `wall`, a whole minute; undefined when none comes within 50 years. */
  firstFrom(wall: number): number | undefined {
    this.#countStep();
    const day = Math.floor(wall / dayMs) * dayMs;
    const today = this.#firstTimeFrom((wall - day) / minuteMs);
    if (today !== undefined && this.#days.has(day)) return day + today;
    const found = this.#days.firstFrom(day + dayMs, addYears(wall, horizonYears));
    return found === undefined ? undefined : found + this.#firstMs;
  }

  /** Milliseconds since midnight of the first time of day not before a minute of it. */
  #firstTimeFrom(minuteOfDay: number): number | undefined {
    const hour = Math.floor(minuteOfDay / 60);
    const minute = this.#hours.includes(hour)
      ? this.#minutes.find((found) => found >= minuteOfDay - hour * 60)
      : undefined;
    if (minute !== undefined) return (hour * 60 + minute) * minuteMs;
    const later = this.#hours.find((found) => found > hour);
    return later === undefined ? undefined : (later * 60 + (this.#minutes[0] ?? 0)) * minuteMs;
  }
}

function dayPattern(fields: CronFields) {
  const { months, daysOfMonth, weekdays, weekdaysOfMonth } = fields;
  const hasDayOfMonth = (day: number, daysInMonth: number, weekday: number) =>
    daysOfMonth.has(day) ||
    (fields.lastDayOfMonth && day === daysInMonth) ||
    (fields.lastWorkdayOfMonth && isLastWorkday(day, daysInMonth, weekday));
  const hasWeekday = (day: number, daysInMonth: number, weekday: number) =>
    weekdays.has(weekday) || weekdaysOfMonth.some((rule) => matchesInMonth(rule, day, daysInMonth, weekday));
  return {
    hasYear: () => true,
    hasMonth: (month: number) => months.has(month),
    hasDay: (...day: [number, number, number]) =>
      fields.bothDaysMustMatch
        ? hasDayOfMonth(...day) && hasWeekday(...day)
        : hasDayOfMonth(...day) || hasWeekday(...day),
  };
}

function matchesInMonth(rule: WeekdayOfMonth, day: number, daysInMonth: number, weekday: number): boolean {
  if (rule.weekday !== weekday) return false;
  return rule.nth === 'last' ? day > daysInMonth - 7 : Math.ceil(day / 7) === rule.nth;
}

/** Whether the day is a Monday to Friday after which only days of a weekend are left. */
function isLastWorkday(day: number, daysInMonth: number, weekday: number): boolean {
  if (weekday === 5) return day >= daysInMonth - 2;
  return weekday >= 1 && weekday <= 4 && day === daysInMonth;
}

function nextMinute(instant: number): number {
  return (Math.floor(instant / minuteMs) + 1) * minuteMs;
}

function addYears(instant: number, years: number): number {
  return instant + years * 365.25 * dayMs;
}
