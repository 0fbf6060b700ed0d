import type { CheckKind, SchedulePreview } from '@certloop/contracts';
import { InvalidInput } from '@certloop/contracts';
import { defaultSettings } from '../../checks/check.js';
import { parseCheckSpec } from '../../checks/check-spec.js';
import { nextOccurrences, type Occurrence } from '../../checks/schedules/schedule-preview.js';
import { currentTimeZone } from '../../checks/schedules/time-zones.js';
import { isoSeconds, type Micros, microsPerSecond } from '../../instants.js';
import { spokenMoment, spokenPeriod } from '../../integrations/messages/spoken-time.js';

/** A schedule as it is typed; what is absent has the default of a new check. */
export interface TypedSchedule {
  readonly kind: CheckKind;
  readonly timeout?: string | undefined;
  readonly schedule?: string | undefined;
  readonly tz?: string | undefined;
  readonly grace?: string | undefined;
}

/** Returns what a schedule means for a check that is pinged at `now`: in words, and the next expected moments. */
export function previewSchedule(typed: TypedSchedule, count: number, now: Micros): SchedulePreview {
  const isSimple = typed.kind === 'simple';
  const given = isSimple
    ? { timeout: wholeNumber(typed.timeout), grace: wholeNumber(typed.grace) }
    : { schedule: typed.schedule ?? '', tz: typed.tz, grace: wholeNumber(typed.grace) };
  const errors = Object.entries(given).flatMap(([field, value]) => faultsIn(field, value));
  if (errors.length > 0) return { ok: false, sentence: '', next: [], errors };
  const spec = parseCheckSpec(given);
  const graceSeconds = spec.grace ?? defaultSettings.graceSeconds;
  const grace = `A check is down ${spokenPeriod(graceSeconds)} after a ping was expected.`;
  if (isSimple) {
    const timeout = spec.timeout ?? defaultSettings.timeoutSeconds;
    const next = described([{ at: now + timeout * microsPerSecond, note: undefined }], 'UTC');
    return {
      ok: true,
      sentence: `A ping is expected every ${spokenPeriod(timeout)}. ${grace}`,
      next,
      errors,
    };
  }
  const tz = currentTimeZone(spec.tz ?? defaultSettings.tz) ?? 'UTC';
  const found = nextOccurrences(spec.schedule ?? '', tz, now, Math.max(count, 2));
  const next = described(found.slice(0, count), tz);
  return { ok: true, sentence: `${expectation(found, tz)} ${grace}`, next, errors };
}

/** Digits as a number; everything else as it is, to be refused. */
function wholeNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

const seconds = 'must be a whole number of seconds from 60 to 31536000';
const bounds: Readonly<Record<string, string>> = { timeout: seconds, grace: seconds };

function faultsIn(field: string, value: unknown): SchedulePreview['errors'] {
  if (value === undefined) return [];
  try {
    parseCheckSpec({ [field]: value });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return [
      { field, message: bounds[field] ?? error.message.replace(`json validation error: ${field} `, '') },
    ];
  }
}

function expectation([first, second]: readonly Occurrence[], tz: string): string {
  if (first === undefined) return 'No ping is expected any more: the schedule has ended.';
  const start = `A ping is expected on ${spokenMoment(first.at, tz)}`;
  if (second === undefined) return `${start}, for the last time.`;
  return `${start}, then ${spokenPeriod((second.at - first.at) / microsPerSecond)} later.`;
}

function described(found: readonly Occurrence[], tz: string): SchedulePreview['next'] {
  return found.map(({ at, note }) => ({
    at: isoSeconds(at),
    local: spokenMoment(at, tz),
    ...(note === undefined ? {} : { note }),
  }));
}
