import { LRUCache } from 'lru-cache';
import { type Micros, wholeMs } from '../../instants.js';
import { pythonWhitespace, stripWhitespace } from '../../python-whitespace.js';
import { parseCron } from './cron.js';
import { parseOnCalendar } from './on-calendar.js';

/** A parsed schedule text of either language. */
export interface Schedule {
  readonly kind: 'cron' | 'oncalendar';
  /** First occurrence after `after` in the zone `tz`; undefined when the schedule is exhausted. */
  next(after: Micros, tz: string): Micros | undefined;
}

// as many as a project of the size we aim at has checks; 1 to 3 kB each
const parsed = new LRUCache<string, Schedule>({ max: 10_000 });

/**
 * Schedule of `text`, or undefined when it is neither five cron fields nor OnCalendar lines, or never comes.
 * One line of exactly five words is cron, everything else OnCalendar.
 */
export function parseSchedule(text: string): Schedule | undefined {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const schedule = isCron(text)
    ? buildSchedule('cron', parseCron(text))
    : buildSchedule('oncalendar', parseOnCalendar(text));
  if (schedule === undefined) return undefined;
  parsed.set(text, schedule);
  return schedule;
}

function isCron(text: string): boolean {
  const line = stripWhitespace(text);
  return !line.includes('\n') && line.split(pythonWhitespace).length === 5;
}

interface MsSchedule {
  next(after: number, tz: string): number | undefined;
}

function buildSchedule(kind: Schedule['kind'], inMs: MsSchedule | undefined): Schedule | undefined {
  if (inMs === undefined) return undefined;
  return {
    kind,
    next: (after, tz) => {
      const found = inMs.next(wholeMs(after), tz);
      return found === undefined ? undefined : found * 1000;
    },
  };
}
