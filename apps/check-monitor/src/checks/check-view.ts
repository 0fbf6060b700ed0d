import type { CheckStatus } from '@certloop/contracts';
import { isoSeconds, type Micros, microsPerSecond } from '../instants.js';
import type { ApiVersion } from '../projects/caller.js';
import type { Check } from './check.js';
import { expectedAt, statusAt } from './check-state.js';

/** Where this service is reached from outside; no trailing slash on `siteRoot`, one on `pingEndpoint`. */
export interface Addresses {
  readonly siteRoot: string;
  readonly pingEndpoint: string;
}

/** What a view depends on beside the check. */
export interface ViewContext {
  readonly addresses: Addresses;
  readonly version: ApiVersion;
  readonly now: Micros;
}

/**
 * Check as a read-write key sees it; `channelIds` in any order. Members stand in the order of the wire; what the check
 * lacks is undefined, which JSON leaves out.
 */
export function describeCheck(check: Check, channelIds: readonly string[], context: ViewContext) {
  const { siteRoot, pingEndpoint } = context.addresses;
  const updateUrl = `${siteRoot}/api/v${context.version}/checks/${check.uuid}`;
  const basics = describeBasics(check, context);
  const isSimple = check.kind === 'simple';
  // named one by one: to put objects of this size together takes 50 times as long, and lists have 10,000 of them
  return {
    name: basics.name,
    slug: basics.slug,
    tags: basics.tags,
    desc: basics.desc,
    grace: basics.grace,
    n_pings: basics.n_pings,
    status: basics.status,
    started: basics.started,
    last_ping: basics.last_ping,
    next_ping: basics.next_ping,
    manual_resume: basics.manual_resume,
    methods: basics.methods,
    subject: basics.subject,
    subject_fail: basics.subject_fail,
    start_kw: basics.start_kw,
    success_kw: basics.success_kw,
    failure_kw: basics.failure_kw,
    filter_subject: basics.filter_subject,
    filter_body: basics.filter_body,
    filter_http_body: basics.filter_http_body,
    filter_default_fail: basics.filter_default_fail,
    badge_url: basics.badge_url,
    last_duration: basics.last_duration,
    uuid: check.uuid,
    ping_url: `${pingEndpoint}${check.uuid}`,
    update_url: updateUrl,
    pause_url: `${updateUrl}/pause`,
    resume_url: `${updateUrl}/resume`,
    channels: [...channelIds].sort().join(','),
    timeout: isSimple ? check.timeoutSeconds : undefined,
    schedule: isSimple ? undefined : check.schedule,
    tz: isSimple ? undefined : check.tz,
  };
}

/** Check as a read-only key sees it: nothing that would let its holder ping or change it. */
export function describeCheckReadOnly(check: Check, context: ViewContext) {
  return Object.assign(
    describeBasics(check, context),
    { unique_key: check.uniqueKey },
    describePeriod(check),
  );
}

function describeBasics(check: Check, { addresses, version, now }: ViewContext) {
  const expected = expectedAt(check);
  return {
    name: check.name,
    slug: check.slug,
    tags: check.tags,
    desc: check.description,
    grace: check.graceSeconds,
    n_pings: check.pingCount,
    status: shownStatus(check, version, now),
    started: check.lastStart !== null,
    last_ping: check.lastPing === null ? null : isoSeconds(check.lastPing),
    next_ping: expected === null ? null : isoSeconds(expected),
    manual_resume: check.manualResume,
    methods: check.methods,
    subject: check.filterSubject ? check.successKeywords : '',
    subject_fail: check.filterSubject ? check.failureKeywords : '',
    start_kw: check.startKeywords,
    success_kw: check.successKeywords,
    failure_kw: check.failureKeywords,
    filter_subject: check.filterSubject,
    filter_body: check.filterBody,
    filter_http_body: check.filterHttpBody,
    filter_default_fail: check.filterDefaultFail,
    badge_url: `${addresses.siteRoot}/b/2/${check.badgeUuid}.svg`,
    last_duration: check.lastDuration === null ? undefined : Math.floor(check.lastDuration / microsPerSecond),
  };
}

/** Version 1 has a status of its own for a job that runs, which the contract, being that of version 3, lacks. */
const running = 'started' as CheckStatus;

function shownStatus(check: Check, version: ApiVersion, now: Micros): CheckStatus {
  const status = statusAt(check, now);
  if (version > 1 || check.lastStart === null) return status;
  const hasOutrun = now >= check.lastStart + check.graceSeconds * microsPerSecond;
  return hasOutrun ? status : running;
}

function describePeriod(check: Check) {
  if (check.kind === 'simple') return { timeout: check.timeoutSeconds };
  return { schedule: check.schedule, tz: check.tz };
}
