import { pythonWhitespace } from '../../python-whitespace.js';

/** One day-of-week rule that depends on the month: the `nth` such weekday of it, or its last. */
export interface WeekdayOfMonth {
  readonly weekday: number;
  readonly nth: 1 | 2 | 3 | 4 | 5 | 'last';
}

/** A parsed cron text. Numbers as in crontab(5); weekdays 0 (Sunday) to 6. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly lastDayOfMonth: boolean;
  readonly lastWorkdayOfMonth: boolean;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  readonly weekdaysOfMonth: readonly WeekdayOfMonth[];
  /** Debian's rule: a day field that begins with a star restricts the other one instead of adding to it. */
  readonly bothDaysMustMatch: boolean;
  /** Neither minute nor hour begins with a star: such a job runs once on a day the clocks change. */
  readonly isFixedTime: boolean;
}

interface FieldRule {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

const minuteRule: FieldRule = { low: 0, high: 59, names: [] };
const hourRule: FieldRule = { low: 0, high: 23, names: [] };
const dayRule: FieldRule = { low: 1, high: 31, names: [] };
const monthRule: FieldRule = {
  low: 1,
  high: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
const weekdayRule: FieldRule = { low: 0, high: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] };

/** Fields of a cron text of exactly five fields, or undefined when its grammar is wrong. */
export function parseCronFields(text: string): CronFields | undefined {
  const fields = text.toUpperCase().split(pythonWhitespace).filter(Boolean);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || minute === undefined || hour === undefined) return undefined;
  if (day === undefined || month === undefined || weekday === undefined) return undefined;
  const minutes = plainValues(minute.split(','), minuteRule);
  const hours = plainValues(hour.split(','), hourRule);
  const months = plainValues(month.split(','), monthRule);
  const days = parseDays(day);
  const weekdays = parseWeekdays(weekday);
  if (!minutes || !hours || !months || !days || !weekdays) return undefined;
  return {
    minutes,
    hours,
    months,
    ...days,
    ...weekdays,
    bothDaysMustMatch: day.startsWith('*') || weekday.startsWith('*'),
    isFixedTime: !minute.startsWith('*') && !hour.startsWith('*'),
  };
}

type DayFields = Pick<CronFields, 'daysOfMonth' | 'lastDayOfMonth' | 'lastWorkdayOfMonth'>;

function parseDays(field: string): DayFields | undefined {
  const terms = field.split(',');
  const daysOfMonth = plainValues(
    terms.filter((term) => !isLast(term) && term !== 'LW'),
    dayRule,
  );
  return (
    daysOfMonth && {
      daysOfMonth,
      lastDayOfMonth: terms.some(isLast),
      lastWorkdayOfMonth: terms.includes('LW'),
    }
  );
}

/** `L`, also with a step, which means nothing on a single day. */
function isLast(term: string): boolean {
  return /^L(\/0*[1-9][0-9]*)?$/.test(term);
}

type WeekdayFields = Pick<CronFields, 'weekdays' | 'weekdaysOfMonth'>;

function parseWeekdays(field: string): WeekdayFields | undefined {
  const terms = field.split(',');
  const plain = terms.filter((term) => !/[#L]/.test(term));
  const values = plainValues(plain, weekdayRule);
  const weekdaysOfMonth = terms.filter((term) => /[#L]/.test(term)).map(parseWeekdayOfMonth);
  if (values === undefined || !weekdaysOfMonth.every((found) => found !== undefined)) return undefined;
  return { weekdays: new Set([...values].map((value) => value % 7)), weekdaysOfMonth };
}

function parseWeekdayOfMonth(term: string): WeekdayOfMonth | undefined {
  const last = /^0*([0-7])L$/.exec(term)?.[1];
  if (last !== undefined) return { weekday: Number(last) % 7, nth: 'last' };
  const [name = '', nth = ''] = term.split('#');
  const weekday = parseNumber(name, weekdayRule);
  if (weekday === undefined || !/^[^#]+#0*[1-5]$/.test(term)) return undefined;
  return { weekday: weekday % 7, nth: Number(nth) as 1 | 2 | 3 | 4 | 5 };
}

/** Values of `*`, numbers, names, ranges and steps; undefined when one term is none of them. */
function plainValues(terms: readonly string[], rule: FieldRule): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const term of terms) {
    const range = parseRange(term, rule);
    if (range === undefined) return undefined;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function parseRange(term: string, rule: FieldRule): Range | undefined {
  const found = /^([^-/]+)(?:-([^-/]+))?(?:\/([0-9]+))?$/.exec(term);
  if (found === null) return undefined;
  const [, first = '', second, stepText] = found;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0) return undefined;
  if (first === '*') return second === undefined ? { from: rule.low, to: rule.high, step } : undefined;
  const from = parseNumber(first, rule);
  const to = second === undefined ? from : parseNumber(second, rule);
  if (from === undefined || to === undefined || to < from) return undefined;
  // one value with a step counts on to the end of the field, also when it is written as a range of one
  return { from, to: from === to && stepText !== undefined ? rule.high : to, step };
}

function parseNumber(text: string, rule: FieldRule): number | undefined {
  const named = rule.names.indexOf(text);
  if (named >= 0) return named + rule.low;
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= rule.low && value <= rule.high ? value : undefined;
}
