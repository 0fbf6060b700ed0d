import { stripWhitespace } from '../../python-whitespace.js';
import { type CountStep, DaySearch } from './day-search.js';
import { localTimeIn } from './local-time.js';
import { type Admitted, type OnCalendarFields, parseOnCalendarLine } from './on-calendar-fields.js';

const dayMs = 24 * 60 * 60 * 1000;
const lastDay = Date.UTC(2199, 11, 31);
// the years of one cycle of the calendar: a time that the clocks skip in each of them never comes, and to look at all
// years until 2200 takes a quarter of a second in a zone that was not used before
const maxSkips = 28;

/** An OnCalendar text that can be asked for its occurrences; instants are milliseconds. */
export interface OnCalendarSchedule {
  /** First occurrence after `after`, in `tz` unless a line names its zone; undefined when none comes before 2200. */
  next(after: number, tz: string): number | undefined;
}

/** Schedule of one or more lines, or undefined when one is wrong or none comes after 2000. */
export function parseOnCalendar(text: string, countStep?: CountStep): OnCalendarSchedule | undefined {
  const lines = stripWhitespace(text).split('\n').map(parseOnCalendarLine);
  if (!lines.every((line) => line !== undefined)) return undefined;
  const searches = lines.map((line) => new LineSearch(line, countStep));
  const next = (after: number, tz: string) => earliest(searches.map((line) => line.next(after, tz)));
  return next(Date.UTC(2000, 0, 1), 'UTC') === undefined ? undefined : { next };
}

function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const found = instants.filter((instant) => instant !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

class LineSearch {
  readonly #line: OnCalendarFields;
  readonly #days: DaySearch;
  readonly #countStep: CountStep;

  constructor(line: OnCalendarFields, countStep: CountStep = () => undefined) {
    this.#line = line;
    this.#days = new DaySearch(dayPattern(line), countStep);
    this.#countStep = countStep;
  }

  /** Times that the clocks skip are omitted, repeated ones count the first time. Undefined after 28 skips in a row. */
  next(after: number, tz: string): number | undefined {
    const local = localTimeIn(this.#line.tz ?? tz);
    let wall = this.#firstWall(Math.floor(local.latestWallAt(after) / 1000) * 1000);
    for (let skips = 0; wall !== undefined && skips < maxSkips; ) {
      const { instant, skipped } = local.firstInstantOf(wall);
      if (!skipped && instant > after) return instant;
      if (skipped) skips += 1;
      // from the end of a gap on, as all of it is skipped
      wall = this.#firstWall(skipped ? instant + local.spanAt(instant).offsetMs : wall + 1000);
    }
    return undefined;
  }

  /** First matching wall not before `wall`, a whole second. */
  #firstWall(wall: number): number | undefined {
    this.#countStep();
    const day = Math.floor(wall / dayMs) * dayMs;
    const today = firstSecondOfDay(this.#line, (wall - day) / 1000);
    if (today !== undefined && this.#days.has(day)) return day + today * 1000;
    const found = this.#days.firstFrom(day + dayMs, lastDay);
    return found === undefined ? undefined : found + (firstSecondOfDay(this.#line, 0) ?? 0) * 1000;
  }
}

function dayPattern({ years, months, days, daysFromEnd, weekdays }: OnCalendarFields) {
  return {
    hasYear: (year: number) => admits(years, year),
    hasMonth: (month: number) => admits(months, month),
    hasDay: (day: number, daysInMonth: number, weekday: number) =>
      admits(weekdays, weekday) && admits(days, daysFromEnd ? daysInMonth - day + 1 : day),
  };
}

/** First matching second of a day that is not before `from`, itself a second of the day. */
function firstSecondOfDay(line: OnCalendarFields, from: number): number | undefined {
  const [hour, minute, second] = [Math.floor(from / 3600), Math.floor(from / 60) % 60, from % 60];
  const here = admits(line.hours, hour) && admits(line.minutes, minute);
  const laterSecond = here ? firstAdmitted(line.seconds, second, 59) : undefined;
  if (laterSecond !== undefined) return (hour * 60 + minute) * 60 + laterSecond;
  const firstSecond = firstAdmitted(line.seconds, 0, 59) ?? 0;
  const laterMinute = admits(line.hours, hour) ? firstAdmitted(line.minutes, minute + 1, 59) : undefined;
  if (laterMinute !== undefined) return (hour * 60 + laterMinute) * 60 + firstSecond;
  const laterHour = firstAdmitted(line.hours, hour + 1, 23);
  if (laterHour === undefined) return undefined;
  return (laterHour * 60 + (firstAdmitted(line.minutes, 0, 59) ?? 0)) * 60 + firstSecond;
}

function firstAdmitted(values: Admitted, from: number, to: number): number | undefined {
  for (let value = from; value <= to; value++) if (admits(values, value)) return value;
  return undefined;
}

function admits(values: Admitted, value: number): boolean {
  return values === undefined || values.has(value);
}
