import { IANAZone } from 'luxon';

// A "wall" is what a clock on the wall of a zone shows, written as the UTC milliseconds of the same digits, so that
// walls can be compared and counted on without a zone.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const sampleMs = 7 * 24 * hourMs; // no zone changes twice within a week; Morocco's Ramadan pair lies 4 weeks apart

/** Part of time in which a zone keeps one offset; `until` is exclusive and at most the end of a UTC year. */
interface OffsetSpan {
  readonly from: number;
  readonly until: number;
  readonly offsetMs: number;
}

/** Local times of one zone and their instants; all values are milliseconds. */
export interface LocalTime {
  /** The span that holds the instant. */
  spanAt(instant: number): OffsetSpan;
  /** The latest that the clocks have shown by `instant`: within a repeated hour its end, as all of it was shown. */
  latestWallAt(instant: number): number;
  /** First instant at which the clocks show `wall`; when they jump over it, `skipped` and the end of the gap. */
  firstInstantOf(wall: number): { readonly instant: number; readonly skipped: boolean };
}

const known = new Map<string, LocalTime>();

/** Clocks of the zone `tz`, an IANA name; cached for the next caller. */
export function localTimeIn(tz: string): LocalTime {
  const cached = known.get(tz);
  if (cached !== undefined) return cached;
  const made = buildLocalTime(tz);
  known.set(tz, made);
  return made;
}

function buildLocalTime(tz: string): LocalTime {
  const zone = IANAZone.create(tz);
  const years = new Map<number, readonly OffsetSpan[]>();

  const spanAt = (instant: number): OffsetSpan => {
    const year = new Date(instant).getUTCFullYear();
    const spans = years.get(year) ?? readYear(year, (at) => zone.offset(at) * minuteMs);
    years.set(year, spans);
    const span = spans.find(({ until }) => instant < until);
    if (span === undefined) throw new RangeError(`no instant of any year: ${instant}`);
    return span;
  };

  const firstInstantOf = (wall: number): { instant: number; skipped: boolean } => {
    // no zone is more than 14 hours ahead of UTC: the first span begins before the wall in any case
    for (let span = spanAt(wall - 15 * hourMs); ; span = spanAt(span.until)) {
      const instant = wall - span.offsetMs;
      if (instant < span.from) return { instant: span.from, skipped: true };
      if (instant < span.until) return { instant, skipped: false };
    }
  };

  const latestWallAt = (instant: number): number => {
    let span = spanAt(instant);
    let latest = instant + span.offsetMs;
    // clocks go back by a day at most
    while (span.from > instant - 25 * hourMs) {
      const before = spanAt(span.from - 1);
      latest = Math.max(latest, span.from + before.offsetMs);
      span = before;
    }
    return latest;
  };

  return { spanAt, latestWallAt, firstInstantOf };
}

function readYear(year: number, offsetMsAt: (instant: number) => number): OffsetSpan[] {
  const endsAt = Date.UTC(year + 1, 0, 1);
  const lastMinute = endsAt - minuteMs;
  const spans: OffsetSpan[] = [];
  let from = Date.UTC(year, 0, 1);
  let offsetMs = offsetMsAt(from);
  for (let at = from; at < lastMinute; at = Math.min(at + sampleMs, lastMinute)) {
    const next = Math.min(at + sampleMs, lastMinute);
    if (offsetMsAt(next) === offsetMs) continue;
    const changesAt = findChange(at, next, offsetMs, offsetMsAt);
    spans.push({ from, until: changesAt, offsetMs });
    from = changesAt;
    offsetMs = offsetMsAt(changesAt);
  }
  spans.push({ from, until: endsAt, offsetMs });
  return spans;
}

/** First whole minute in (low, high] whose offset is no longer `offsetMs`. */
function findChange(
  low: number,
  high: number,
  offsetMs: number,
  offsetMsAt: (instant: number) => number,
): number {
  let before = low;
  let after = high;
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetMsAt(middle) === offsetMs) before = middle;
    else after = middle;
  }
  return after;
}
