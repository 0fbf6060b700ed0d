import { type CheckCreate, InvalidInput, type UniqueField, uniqueFields } from '@certloop/contracts';
import { type Micros, parseInstant } from '../instants.js';
import type { ApiVersion } from '../projects/caller.js';
import type { CheckSettings, UniqueSettings } from './check.js';
import { parseSchedule } from './schedules/schedule.js';
import { currentTimeZone } from './schedules/time-zones.js';
import { slugOf } from './slug.js';

/** Parameters of a create or update request by their names on the wire; undefined where not given. */
export type CheckSpec = Readonly<ReturnType<typeof readSpec>>;

// 1,700 uuids: a project has fewer integrations, and each part of the text is looked up in a transaction
const maxChannelsLength = 65_536;
// every list of checks contains the descriptions of all
const maxDescriptionLength = 65_536;

type Members = Readonly<Record<string, unknown>>;
/** The parameters of the contract; the key is read before. */
type Parameter = Exclude<keyof CheckCreate, 'api_key'>;

/** Parameters in a body. Throws InvalidInput at the first wrong one, in the order of the members below. */
export function parseCheckSpec(body: Members): CheckSpec {
  const spec = readSpec(body);
  requireStorable(spec);
  return spec;
}

function readSpec(body: Members) {
  return {
    channels: readText(body, 'channels', maxChannelsLength),
    desc: readText(body, 'desc', maxDescriptionLength),
    failure_kw: readText(body, 'failure_kw', 200),
    filter_subject: readFlag(body, 'filter_subject'),
    filter_body: readFlag(body, 'filter_body'),
    filter_http_body: readFlag(body, 'filter_http_body'),
    filter_default_fail: readFlag(body, 'filter_default_fail'),
    grace: readSeconds(body, 'grace'),
    // last ping that a check had elsewhere; only for a new one
    import_last_ping: readInstant(body, 'import_last_ping'),
    manual_resume: readFlag(body, 'manual_resume'),
    methods: readMethods(body),
    name: readText(body, 'name', 100),
    schedule: readSchedule(body),
    slug: readSlug(body),
    start_kw: readText(body, 'start_kw', 200),
    subject: readText(body, 'subject', 200),
    subject_fail: readText(body, 'subject_fail', 200),
    success_kw: readText(body, 'success_kw', 200),
    tags: readText(body, 'tags', 500),
    timeout: readSeconds(body, 'timeout'),
    tz: readTimeZone(body),
    unique: readUnique(body),
  } satisfies Record<Parameter, unknown>;
}

/** Settings that the parameters change; the others stay, or take their default when a check is created. */
export function changedSettings(
  spec: CheckSpec,
  current: CheckSettings,
  version: ApiVersion,
): Partial<CheckSettings> {
  return defined({
    name: spec.name,
    slug: spec.slug ?? (version < 3 && spec.name !== undefined ? slugOf(spec.name) : undefined),
    tags: spec.tags,
    description: spec.desc,
    manualResume: spec.manual_resume,
    methods: spec.methods,
    graceSeconds: spec.grace,
    ...changedFilters(spec, current),
    ...changedPeriod(spec),
  } satisfies Record<keyof CheckSettings, unknown>);
}

/** Values that an existing check must have to be the one meant; undefined when the request means a new one. */
export function uniqueMatch(spec: CheckSpec): Partial<UniqueSettings> | undefined {
  if (spec.unique.length === 0 || spec.unique.some((field) => spec[field] === undefined)) return undefined;
  const given = (field: UniqueField) => spec.unique.includes(field);
  return defined({
    name: given('name') ? spec.name : undefined,
    slug: given('slug') ? spec.slug : undefined,
    tags: given('tags') ? spec.tags : undefined,
    timeoutSeconds: given('timeout') ? spec.timeout : undefined,
    graceSeconds: given('grace') ? spec.grace : undefined,
  });
}

/** The deprecated pair sets keywords and the subject filter; the newer parameters are applied after it. */
function changedFilters(spec: CheckSpec, current: CheckSettings) {
  const oldPair = spec.subject !== undefined || spec.subject_fail !== undefined;
  const success = spec.subject ?? current.successKeywords;
  const failure = spec.subject_fail ?? current.failureKeywords;
  return {
    startKeywords: spec.start_kw,
    successKeywords: spec.success_kw ?? spec.subject,
    failureKeywords: spec.failure_kw ?? spec.subject_fail,
    filterSubject: spec.filter_subject ?? (oldPair ? success !== '' || failure !== '' : undefined),
    filterBody: spec.filter_body,
    filterHttpBody: spec.filter_http_body,
    filterDefaultFail: spec.filter_default_fail,
  };
}

/** A schedule wins over a timeout, which is then not even stored. */
function changedPeriod(spec: CheckSpec) {
  if (spec.schedule !== undefined) {
    const kind = parseSchedule(spec.schedule)?.kind;
    return { kind, timeoutSeconds: undefined, schedule: spec.schedule, tz: spec.tz };
  }
  return {
    kind: spec.timeout === undefined ? undefined : ('simple' as const),
    timeoutSeconds: spec.timeout,
    schedule: undefined,
    tz: spec.tz,
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function wrong(field: string, text: string): InvalidInput {
  return new InvalidInput(`json validation error: ${field} ${text}`);
}

function readText(body: Members, field: string, maxLength = Number.POSITIVE_INFINITY): string | undefined {
  const value = body[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw wrong(field, 'is not a string');
  if (value.length > maxLength && [...value].length > maxLength) throw wrong(field, 'is too long');
  return value;
}

/** Judged last: clients of this API family meet every other refusal before the database sees a text. */
function requireStorable({ channels: _compared, ...stored }: CheckSpec): void {
  for (const [field, value] of Object.entries(stored)) {
    if (typeof value !== 'string') continue;
    if (!value.isWellFormed()) throw wrong(field, 'is not valid Unicode');
    if (value.includes('\0')) throw wrong(field, 'contains a null character');
  }
}

function readSlug(body: Members): string | undefined {
  const value = readText(body, 'slug', 100);
  if (value !== undefined && !/^[a-z0-9_-]*$/.test(value)) throw wrong('slug', 'does not match pattern');
  return value;
}

function readSchedule(body: Members): string | undefined {
  const value = readText(body, 'schedule', 100);
  if (value !== undefined && parseSchedule(value) === undefined) {
    throw wrong('schedule', 'is not a valid cron or OnCalendar expression');
  }
  return value;
}

function readTimeZone(body: Members): string | undefined {
  const value = readText(body, 'tz');
  if (value === undefined) return undefined;
  const current = currentTimeZone(value);
  if (current === undefined) throw wrong('tz', 'is not a valid timezone');
  return current;
}

function readFlag(body: Members, field: string): boolean | undefined {
  const value = body[field];
  if (value !== undefined && typeof value !== 'boolean') throw wrong(field, 'is not a boolean');
  return value;
}

function readSeconds(body: Members, field: string): number | undefined {
  const given = body[field];
  if (given === undefined) return undefined;
  // truth values count as 1 and 0
  const value = typeof given === 'boolean' ? Number(given) : given;
  // whole numbers too large for a double become infinite; numbers with a fraction never get here as whole ones
  if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value))) {
    throw wrong(field, 'is not a number');
  }
  if (value < 60) throw wrong(field, 'is too small');
  if (value > 31_536_000) throw wrong(field, 'is too large');
  return value;
}

function readInstant(body: Members, field: string): Micros | undefined {
  const value = readText(body, field);
  const instant = value === undefined ? undefined : parseInstant(value);
  if (value !== undefined && instant === undefined) throw wrong(field, 'is not an instant');
  return instant;
}

function readMethods(body: Members): '' | 'POST' | undefined {
  const value = body['methods'];
  if (value === undefined || value === '' || value === 'POST') return value;
  throw wrong('methods', 'has unexpected value');
}

function readUnique(body: Members): readonly UniqueField[] {
  const value = body['unique'];
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong('unique', 'is not an array');
  if (!value.every(isUniqueField)) throw wrong("an item in 'unique'", 'has unexpected value');
  return value;
}

function isUniqueField(value: unknown): value is UniqueField {
  return (uniqueFields as readonly unknown[]).includes(value);
}
