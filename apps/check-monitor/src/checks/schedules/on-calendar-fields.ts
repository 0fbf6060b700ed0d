import { pythonWhitespace, stripWhitespace } from '../../python-whitespace.js';
import { isTimeZone } from './time-zones.js';

/** Values that a field admits; undefined stands for every value. */
export type Admitted = ReadonlySet<number> | undefined;

/** One line of an OnCalendar text (systemd.time(7), without its decimals). */
export interface OnCalendarFields {
  /** 0 (Sunday) to 6. */
  readonly weekdays: Admitted;
  readonly years: Admitted;
  readonly months: Admitted;
  readonly days: Admitted;
  /** After a tilde: 1 is the last day of the month, 2 the one before. */
  readonly daysFromEnd: boolean;
  readonly hours: Admitted;
  readonly minutes: Admitted;
  readonly seconds: Admitted;
  /** Zone named in the line itself. */
  readonly tz: string | undefined;
}

const words: Readonly<Record<string, string>> = {
  minutely: '*-*-* *:*:00',
  hourly: '*-*-* *:00:00',
  daily: '*-*-* 00:00:00',
  monthly: '*-*-01 00:00:00',
  weekly: 'Mon *-*-* 00:00:00',
  yearly: '*-01-01 00:00:00',
  annually: '*-01-01 00:00:00',
  quarterly: '*-01,04,07,10-01 00:00:00',
  semiannually: '*-01,07-01 00:00:00',
};

const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const firstYear = 1970;
const lastYear = 2199;

/** Fields of one line, or undefined when its grammar is wrong. */
export function parseOnCalendarLine(line: string): OnCalendarFields | undefined {
  const parts = stripWhitespace(line).split(pythonWhitespace).filter(Boolean);
  const lastPart = parts.at(-1) ?? '';
  const tz = parts.length > 1 && isTimeZone(lastPart) ? lastPart : undefined;
  const body = tz === undefined ? parts : parts.slice(0, -1);
  const [weekday, date, time] = sortParts(wordMeaning(body) ?? body) ?? [];
  if (weekday === undefined || date === undefined || time === undefined) return undefined;
  const weekdays = weekday === '' ? { values: undefined } : parseWeekdays(weekday);
  const dateFields = parseDate(date);
  const timeFields = parseTime(time);
  if (!weekdays || !dateFields || !timeFields) return undefined;
  return { weekdays: weekdays.values, ...dateFields, ...timeFields, tz };
}

function wordMeaning(parts: readonly string[]): readonly string[] | undefined {
  const word = parts.length === 1 ? (parts[0] ?? '').toLowerCase() : '';
  return Object.hasOwn(words, word) ? words[word]?.split(' ') : undefined;
}

/** Weekday, date and time in this order, each at most once and one at least; defaults for the absent ones. */
function sortParts(parts: readonly string[]): readonly [string, string, string] | undefined {
  const rest = [...parts];
  const weekday = /^[A-Za-z]/.test(rest[0] ?? '') ? rest.shift() : undefined;
  const date = rest[0]?.includes(':') === false ? rest.shift() : undefined;
  const time = rest.shift();
  if (rest.length > 0 || (weekday ?? date ?? time ?? '') === '') return undefined;
  return [weekday ?? '', date ?? '*-*-*', time ?? '00:00:00'];
}

interface Parsed {
  readonly values: Admitted;
}

function parseWeekdays(text: string): Parsed | undefined {
  const values = new Set<number>();
  for (const term of text.replace(/,$/, '').split(',')) {
    const [first = '', second, ...more] = term.split(/\.\.|-/);
    const from = weekdayNumber(first);
    const to = second === undefined ? from : weekdayNumber(second);
    if (from === undefined || to === undefined || to < from || more.length > 0) return undefined;
    for (let day = from; day <= to; day++) values.add(day % 7);
  }
  return { values };
}

/** 1 (Monday) to 7 (Sunday), the order in which a range may run. */
function weekdayNumber(name: string): number | undefined {
  const lower = name.toLowerCase();
  const found = weekdayNames.findIndex((full) => lower === full || lower === full.slice(0, 3));
  if (found < 0) return undefined;
  return found === 0 ? 7 : found;
}

type DateFields = Pick<OnCalendarFields, 'years' | 'months' | 'days' | 'daysFromEnd'>;

function parseDate(text: string): DateFields | undefined {
  const daysFromEnd = text.includes('~');
  const found = /^(?:([^-~]+)-)?([^-~]+)([-~])([^-~]+)$/.exec(text);
  if (found === null) return undefined;
  const [, year = '*', month = '', , day = ''] = found;
  const years = parseValues(year, firstYear, lastYear, fullYear);
  const months = parseValues(month, 1, 12);
  const days = daysFromEnd ? parseDaysFromEnd(day) : parseValues(day, 1, 31);
  if (!years || !months || !days) return undefined;
  return { years: years.values, months: months.values, days: days.values, daysFromEnd };
}

/** Days are counted back from the end, yet an open step goes on to it: `~7/1` is the whole last week. */
function parseDaysFromEnd(text: string): Parsed | undefined {
  const isValid = text.split(',').every((term) => parseValues(term, 1, 28) !== undefined);
  return isValid
    ? parseValues(text.replaceAll(/(?<![0-9.])([0-9]+)\/([0-9]+)/g, closedStep), 1, 28)
    : undefined;
}

/** `7/3` from the end, which is 7, 4 and 1, as the range `1..7/3`, which counts from the other side. */
function closedStep(_term: string, first: string, step: string): string {
  const nearest = ((Number(first) - 1) % Number(step)) + 1;
  return `${nearest}..${first}/${step}`;
}

/** Two digits mean 1970 to 2069. */
function fullYear(digits: string): number {
  const value = Number(digits);
  if (digits.length !== 2) return value;
  return value < 70 ? 2000 + value : 1900 + value;
}

type TimeFields = Pick<OnCalendarFields, 'hours' | 'minutes' | 'seconds'>;

function parseTime(text: string): TimeFields | undefined {
  const [hour = '', minute, second = '0', ...more] = text.split(':');
  if (minute === undefined || more.length > 0) return undefined;
  const hours = parseValues(hour, 0, 23);
  const minutes = parseValues(minute, 0, 59);
  const seconds = parseValues(second, 0, 59);
  if (!hours || !minutes || !seconds) return undefined;
  return { hours: hours.values, minutes: minutes.values, seconds: seconds.values };
}

function parseValues(
  text: string,
  low: number,
  high: number,
  read: (digits: string) => number = Number,
): Parsed | undefined {
  if (text === '*') return { values: undefined };
  const values = new Set<number>();
  for (const term of text.split(',')) {
    const found = /^([0-9]+)(?:\.\.([0-9]+))?(?:\/([0-9]+))?$/.exec(term);
    if (found === null) return undefined;
    const [, first = '', second, stepText] = found;
    const from = read(first);
    const step = stepText === undefined ? 1 : Number(stepText);
    const to = second !== undefined ? read(second) : stepText === undefined ? from : high;
    if (from < low || to > high || to < from || step === 0) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return { values };
}
