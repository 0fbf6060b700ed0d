import type { CheckStatus, Diagnosis } from '@certloop/contracts';
import type { Check } from '../../checks/check.js';
import { timingAt } from '../../checks/check-timing.js';
import { parseSchedule } from '../../checks/schedules/schedule.js';
import { isoSeconds, type Micros, microsPerSecond } from '../../instants.js';
import {
  spokenAge,
  spokenDuration,
  spokenMoment,
  spokenPeriod,
} from '../../integrations/messages/spoken-time.js';
import { suggestSchedule } from './suggest-schedule.js';

/** Facts of which a diagnosis is made. */
export interface DiagnosisFacts {
  readonly check: Check;
  readonly now: Micros;
  /** When and why it went down, of one that is down. */
  readonly fall: { readonly at: Micros; readonly reason: string } | undefined;
  /** Exit status of the ping that reported the failure. */
  readonly exitStatus: number | null;
  /** Moments of the latest successes, newest first; the first five are compared with the schedule. */
  readonly successes: readonly Micros[];
  /** Zones that other checks of the project use. */
  readonly zones: readonly string[];
}

/** Why a check is in its state, and what to do. */
export function diagnosisOf(facts: DiagnosisFacts): Diagnosis {
  const { check, now, fall } = facts;
  const { status, expectedAt: nextAt } = timingAt(check, now);
  const missedAt =
    status === 'down' && fall?.reason === 'timeout' && !hasOutrun(check, now)
      ? fall.at - check.graceSeconds * microsPerSecond
      : null;
  const expectedAt = nextAt ?? missedAt;
  const late = expectedAt === null ? 0 : Math.floor((now - expectedAt) / microsPerSecond);
  const zoneHint = hintOf(facts);
  const suggestion = suggestSchedule(check, facts.successes, facts.zones);
  const moments: { text: string; at: string }[] = [];
  const spoken = (at: Micros) => {
    const text = spokenMoment(at, check.kind === 'simple' ? 'UTC' : check.tz);
    moments.push({ text, at: isoSeconds(at) });
    return text;
  };
  return {
    sentence: sentenceOf(facts, status, expectedAt, spoken),
    ...(moments.length > 0 && { moments }),
    ...(expectedAt === null ? {} : { expectedAt: isoSeconds(expectedAt) }),
    ...(check.kind === 'simple' ? {} : { tz: check.tz }),
    ...(late > 0 && status !== 'up' ? { lateSeconds: late } : {}),
    ...(zoneHint === undefined ? {} : { zoneHint }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

function sentenceOf(
  facts: DiagnosisFacts,
  status: CheckStatus,
  expectedAt: Micros | null,
  spoken: (at: Micros) => string,
): string {
  const { check, now } = facts;
  const grace = spokenPeriod(check.graceSeconds);
  switch (status) {
    case 'new':
      return check.lastStart === null
        ? 'No ping has arrived yet. Send a ping to its address at the end of the job.'
        : `The first run began ${spokenAge(check.lastStart, now)}, and has not ended yet.`;
    case 'paused':
      return check.manualResume
        ? 'It is paused: no ping is expected until you resume it.'
        : 'It is paused: no ping is expected. The next ping, or you, resume it.';
    case 'up':
      if (check.lastStart !== null)
        return `A run began ${spokenAge(check.lastStart, now)}. It has ${grace} to end.`;
      return expectedAt === null
        ? `The last ping arrived ${spokenAge(check.lastPing ?? now, now)}. The schedule has ended.`
        : `The last ping arrived ${spokenAge(check.lastPing ?? now, now)}. The next one is expected on ${spoken(expectedAt)}.`;
    case 'grace': {
      const at = expectedAt ?? now;
      const end = at + check.graceSeconds * microsPerSecond;
      return `The ping that was expected on ${spoken(at)} has not arrived. The check goes down on ${spoken(end)}.`;
    }
    case 'down':
      return downSentence(facts, expectedAt, spoken);
  }
}

function downSentence(
  { check, now, fall, exitStatus }: DiagnosisFacts,
  expectedAt: Micros | null,
  spoken: (at: Micros) => string,
): string {
  const grace = spokenPeriod(check.graceSeconds);
  if (check.lastStart !== null && hasOutrun(check, now)) {
    return `A run began on ${spoken(check.lastStart)}, and did not end within ${grace}. See whether it hangs, or allow it more time.`;
  }
  if (fall?.reason === 'fail') {
    const status = exitStatus === null || exitStatus === 0 ? '' : ` with exit status ${exitStatus}`;
    return `The job reported a failure on ${spoken(fall.at)}${status}. Read its output, fix the job, and run it again.`;
  }
  if (expectedAt === null) return 'It is down. The next successful ping brings it up.';
  const late = spokenDuration(now - expectedAt);
  return `No ping has arrived since one was expected on ${spoken(expectedAt)}, ${late} ago. See whether the job still runs, and reaches this service.`;
}

function hasOutrun({ lastStart, graceSeconds }: Check, now: Micros): boolean {
  return lastStart !== null && now >= lastStart + graceSeconds * microsPerSecond;
}

const [minPings, hintPings] = [3, 5];
const maxRunDuration = 15 * 60 * microsPerSecond;

/** The zone in which the most of the latest pings follow an occurrence, where they do not in that of the check. */
function hintOf({ check, successes: latest, zones }: DiagnosisFacts): Diagnosis['zoneHint'] {
  const successes = latest.slice(0, hintPings);
  const schedule = check.kind === 'simple' ? undefined : parseSchedule(check.schedule);
  if (schedule === undefined || successes.length < minPings) return undefined;
  const window = Math.min(maxRunDuration, check.graceSeconds * microsPerSecond);
  const matchesIn = (tz: string) =>
    successes.filter((at) => (schedule.next(at - window, tz) ?? Number.POSITIVE_INFINITY) <= at).length;
  if (matchesIn(check.tz) > 0) return undefined;
  const others = [...new Set(['UTC', ...zones])].filter((tz) => tz !== check.tz);
  const [best] = others
    .map((tz) => ({ tz, matches: matchesIn(tz), of: successes.length }))
    .sort((one, other) => other.matches - one.matches);
  return best !== undefined && best.matches >= minPings ? best : undefined;
}
