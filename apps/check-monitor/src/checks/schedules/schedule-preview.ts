import { type Micros, wholeMs } from '../../instants.js';
import { localTimeIn } from './local-time.js';
import { parseSchedule } from './schedule.js';

/** A moment at which a ping is expected. */
export interface Occurrence {
  readonly at: Micros;
  /** Note on an unusual local time. */
  readonly note: string | undefined;
}

/** The next occurrences after `after`, `count` at most; none for a text that is not a schedule. */
export function nextOccurrences(text: string, tz: string, after: Micros, count: number): Occurrence[] {
  const schedule = parseSchedule(text);
  const found: Occurrence[] = [];
  for (let at = schedule?.next(after, tz); at !== undefined && found.length < count; ) {
    found.push({ at, note: noteOn(text, tz, at) });
    at = schedule?.next(at, tz);
  }
  return found;
}

/** Returns what a change of the clocks does to an occurrence, in words. */
function noteOn(text: string, tz: string, at: Micros): string | undefined {
  const instant = wholeMs(at);
  const local = localTimeIn(tz);
  const span = local.spanAt(instant);
  const [before, after] = [local.spanAt(span.from - 1), local.spanAt(span.until)];
  const wall = instant + span.offsetMs;
  if (instant === span.from && before.offsetMs < span.offsetMs && !matches(text, wall)) {
    return 'The clocks skip its local time on this day, so it comes when they go forward.';
  }
  const isFirstOfTwo = wall >= span.until + after.offsetMs;
  const isSecondOfTwo = wall < span.from + before.offsetMs;
  if (!isFirstOfTwo && !isSecondOfTwo) return undefined;
  return `This local time comes twice on this day; this is the ${isFirstOfTwo ? 'first' : 'second'} time.`;
}

/** Whether the schedule has this local time, whatever the clocks do. */
function matches(text: string, wall: number): boolean {
  return parseSchedule(text)?.next((wall - 1) * 1000, 'UTC') === wall * 1000;
}
