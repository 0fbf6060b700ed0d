import { createHash } from 'node:crypto';
import type { CheckStatus } from '@certloop/contracts';
import type { Micros } from '../instants.js';
import type { CheckTiming, PeriodSettings, StateChange, StatusTiming } from './check-timing.js';

/** Settings of a check that decide how its pings count. */
export interface PingSettings {
  readonly manualResume: boolean;
  /** HTTP methods that count as pings: any when empty. */
  readonly methods: '' | 'POST';
  /** Keywords between commas. */
  readonly startKeywords: string;
  readonly successKeywords: string;
  readonly failureKeywords: string;
  readonly filterSubject: boolean;
  readonly filterBody: boolean;
  readonly filterHttpBody: boolean;
  readonly filterDefaultFail: boolean;
}

/** Settings of a check that a caller may change. */
export interface CheckSettings extends PeriodSettings, PingSettings {
  readonly name: string;
  readonly slug: string;
  /** As given: words between blanks, neither sorted nor cleaned. */
  readonly tags: string;
  readonly description: string;
}

/** Settings by which a request may find a check. */
export type UniqueSettings = Pick<
  CheckSettings,
  'name' | 'slug' | 'tags' | 'timeoutSeconds' | 'graceSeconds'
>;

/** Columns of a check that pings change. */
export interface CheckState extends StateChange {
  /** Pings ever received. */
  readonly pingCount: number;
}

/** A check as stored. */
export interface Check extends CheckSettings, CheckTiming, CheckState {
  /** Rises with age; orders lists and decides among several matches. */
  readonly id: number;
  readonly projectId: string;
  readonly uuid: string;
  /** Names the check in badge addresses, so that these do not give the ping address away. */
  readonly badgeUuid: string;
  /** 40 hex digits; names the check to read-only keys. */
  readonly uniqueKey: string;
  readonly createdAt: Micros;
}

/** Columns of a check that are shown. */
export type ShownCheck = Omit<Check, 'lastStartRunId' | 'alertAfter' | 'createdAt'>;

/** Columns of a check of which badges are made. */
export interface TaggedCheck extends StatusTiming {
  readonly uuid: string;
  readonly tags: string;
}

/** A check as badges count it. */
export interface TaggedStatus extends Pick<TaggedCheck, 'uuid' | 'tags'> {
  readonly status: CheckStatus;
}

export const defaultSettings: CheckSettings = {
  name: '',
  slug: '',
  tags: '',
  description: '',
  kind: 'simple',
  timeoutSeconds: 86_400,
  graceSeconds: 3600,
  schedule: '* * * * *',
  tz: 'UTC',
  manualResume: false,
  methods: '',
  startKeywords: '',
  successKeywords: '',
  failureKeywords: '',
  filterSubject: false,
  filterBody: false,
  filterHttpBody: false,
  filterDefaultFail: false,
};

/** Words of a tag text. */
export function tagsOf(tags: string): string[] {
  return tags.split(' ').filter((tag) => tag !== '');
}

/** Whether the text of tags, as given, has all of the tags. */
export function hasTags(tags: string, wanted: ReadonlySet<string>): boolean {
  // each takes a character and a blank
  if (wanted.size === 0 || wanted.size > tags.length) return wanted.size === 0;
  const found = new Set(tagsOf(tags));
  for (const tag of wanted) if (!found.has(tag)) return false;
  return true;
}

/** State of a check that was never pinged. */
export const unpinged: CheckState = {
  pingCount: 0,
  storedStatus: 'new',
  lastPing: null,
  lastStart: null,
  lastStartRunId: null,
  lastDuration: null,
  alertAfter: null,
};

/** A check as it is when made: new, never pinged. */
export function newCheck(
  settings: CheckSettings,
  origin: Pick<Check, 'projectId' | 'uuid' | 'badgeUuid' | 'createdAt'>,
): Omit<Check, 'id'> {
  return {
    ...origin,
    ...settings,
    ...unpinged,
    uniqueKey: uniqueKeyOf(origin.uuid),
  };
}

/** Read-only identifier of a check: the SHA-1, in hex, of the first 16 hex digits of its uuid as text. */
export function uniqueKeyOf(uuid: string): string {
  return createHash('sha1').update(uuid.replaceAll('-', '').slice(0, 16), 'ascii').digest('hex');
}
