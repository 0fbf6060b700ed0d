import { type Check, uniqueKeyOf } from '../../checks/check.js';
import { deadlineOf } from '../../checks/check-timing.js';
import { parseSchedule } from '../../checks/schedules/schedule.js';
import { currentTimeZone } from '../../checks/schedules/time-zones.js';
import { microsPerSecond } from '../../instants.js';
import type { DumpRow } from './dump-rows.js';

export type NewCheck = Omit<Check, 'id'>;

const minSeconds = 60;
const maxSeconds = 31_536_000;

/** The check of a row, or the field and the reason why it cannot be imported. */
export function checkOf(row: DumpRow<'api.check'>, projectId: string): NewCheck | { readonly fault: string } {
  const tz = currentTimeZone(row.tz);
  if (tz === undefined) return { fault: 'tz: is not a time zone' };
  if (row.kind !== 'simple' && parseSchedule(row.schedule)?.kind !== row.kind) {
    return { fault: `schedule: is not a valid ${row.kind} expression` };
  }
  const timeoutSeconds = secondsOf(row.timeout);
  if (timeoutSeconds === undefined)
    return { fault: `timeout: is not from ${minSeconds} to ${maxSeconds} seconds` };
  const graceSeconds = secondsOf(row.grace);
  if (graceSeconds === undefined)
    return { fault: `grace: is not from ${minSeconds} to ${maxSeconds} seconds` };
  const check: NewCheck = {
    projectId,
    uuid: row.code,
    badgeUuid: row.badge_key,
    uniqueKey: uniqueKeyOf(row.code),
    createdAt: row.created,
    name: row.name,
    slug: row.slug,
    tags: row.tags,
    description: row.desc,
    kind: row.kind,
    timeoutSeconds,
    graceSeconds,
    schedule: row.schedule,
    tz,
    manualResume: row.manual_resume,
    methods: row.methods,
    startKeywords: row.start_kw,
    successKeywords: row.success_kw,
    failureKeywords: row.failure_kw,
    filterSubject: row.filter_subject,
    filterBody: row.filter_body,
    filterHttpBody: row.filter_http_body,
    filterDefaultFail: row.filter_default_fail,
    storedStatus: row.status,
    lastPing: row.last_ping,
    lastStart: row.last_start,
    lastStartRunId: row.last_start === null ? null : row.last_start_rid,
    lastDuration: row.last_duration,
    pingCount: row.n_pings,
    alertAfter: null,
  };
  // derived, since the one in the dump may be older than a change of the schedule
  return { ...check, alertAfter: deadlineOf(check) };
}

function secondsOf(duration: number): number | undefined {
  const seconds = Math.round(duration / microsPerSecond);
  return seconds >= minSeconds && seconds <= maxSeconds ? seconds : undefined;
}

type StateOfBoth = Pick<Check, 'pingCount' | 'storedStatus'>;

/**
 * Whether the state of a check in a dump is newer than its state here, if it was never pinged here. It is newer after
 * more pings. After the same number of pings, a pause or a down status in the dump counts, but a check that went down
 * or was paused here stays so.
 */
export function isNewerState(dumped: StateOfBoth, here: StateOfBoth): boolean {
  if (dumped.pingCount !== here.pingCount) return dumped.pingCount > here.pingCount;
  const isStopped = dumped.storedStatus === 'paused' || dumped.storedStatus === 'down';
  return isStopped || (dumped.storedStatus === 'new' && here.storedStatus === 'paused');
}
