import { stripBlanks } from '../blanks.js';
import { type LocalTime, localTimeIn } from './local-time.js';
import { type Admitted, type OnCalendarFields, parseOnCalendarLine } from './on-calendar-fields.js';

const dayMs = 24 * 60 * 60 * 1000;
const lastDay = Date.UTC(2199, 11, 31);

/** An OnCalendar text that can be asked for its occurrences; instants are milliseconds. */
export interface OnCalendarSchedule {
  /** First occurrence after `after`, in `tz` unless a line names its zone; undefined when none comes before 2200. */
  next(after: number, tz: string): number | undefined;
}

/** Schedule of one or more lines, or undefined when one is wrong or none comes after 2000. */
export function parseOnCalendar(text: string): OnCalendarSchedule | undefined {
  const lines = stripBlanks(text).split('\n').map(parseOnCalendarLine);
  if (!lines.every((line) => line !== undefined)) return undefined;
  const next = (after: number, tz: string) => earliest(lines.map((line) => nextOfLine(line, after, tz)));
  return next(Date.UTC(2000, 0, 1), 'UTC') === undefined ? undefined : { next };
}

function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const found = instants.filter((instant) => instant !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Times that the clocks skip are left out, repeated ones count the first time. */
function nextOfLine(line: OnCalendarFields, after: number, tz: string): number | undefined {
  const local: LocalTime = localTimeIn(line.tz ?? tz);
  let wall = firstWall(line, Math.floor(local.wallAt(after) / 1000) * 1000);
  while (wall !== undefined) {
    const { instant, skipped } = local.firstInstantOf(wall);
    if (!skipped && instant > after) return instant;
    wall = firstWall(line, wall + 1000);
  }
  return undefined;
}

/** First matching wall not before `wall`, a whole second. */
function firstWall(line: OnCalendarFields, wall: number): number | undefined {
  let day = Math.floor(wall / dayMs) * dayMs;
  const today = matchesDay(line, day) ? firstSecondOfDay(line, (wall - day) / 1000) : undefined;
  if (today !== undefined) return day + today * 1000;
  for (day = nextDay(line, day); day <= lastDay; day = nextDay(line, day)) {
    if (matchesDay(line, day)) return day + (firstSecondOfDay(line, 0) ?? 0) * 1000;
  }
  return undefined;
}

/** The following day, or the first one of the next month or year where the whole of this one is out. */
function nextDay(line: OnCalendarFields, day: number): number {
  const date = new Date(day);
  const year = date.getUTCFullYear();
  if (!admits(line.years, year)) return Date.UTC(year + 1, 0, 1);
  if (!admits(line.months, date.getUTCMonth() + 1)) return Date.UTC(year, date.getUTCMonth() + 1, 1);
  return day + dayMs;
}

function matchesDay(line: OnCalendarFields, day: number): boolean {
  const date = new Date(day);
  if (!admits(line.years, date.getUTCFullYear()) || !admits(line.months, date.getUTCMonth() + 1))
    return false;
  if (!admits(line.weekdays, date.getUTCDay())) return false;
  const dayOfMonth = date.getUTCDate();
  return admits(line.days, line.daysFromEnd ? lengthOfMonth(date) - dayOfMonth + 1 : dayOfMonth);
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

function lengthOfMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
