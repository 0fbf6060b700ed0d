import type { CheckStatus } from '@certloop/contracts';
import { isoOrNull, type Micros, microsPerSecond } from '../instants.js';
import type { ApiVersion, Caller } from '../projects/caller.js';
import type { ShownCheck } from './check.js';
import { timingAt } from './check-timing.js';

/** Where this service is reached from outside; no trailing slash on `siteRoot`, one on `pingEndpoint`. */
export interface Addresses {
  readonly siteRoot: string;
  readonly pingEndpoint: string;
}

/** Context on which a view depends, apart from the check. */
export interface ViewContext {
  readonly addresses: Addresses;
  readonly version: ApiVersion;
  readonly now: Micros;
}

/**
 * Check as a read-write key sees it; `channelIds` in any order. Members stand in the order of the wire; what the check
 * lacks is undefined, which JSON omits.
 */
export function describeCheck(check: ShownCheck, channelIds: readonly string[], context: ViewContext) {
  const { siteRoot, pingEndpoint } = context.addresses;
  const updateUrl = `${siteRoot}/api/v${context.version}/checks/${check.uuid}`;
  const timing = timingAt(check, context.now);
  const isSimple = check.kind === 'simple';
  // here and below every member is written out: lists have 10,000 checks, and spreading objects of this size takes 50
  // times as long
  return {
    name: check.name,
    slug: check.slug,
    tags: check.tags,
    desc: check.description,
    grace: check.graceSeconds,
    n_pings: check.pingCount,
    status: shownStatus(check, timing.status, context),
    started: check.lastStart !== null,
    last_ping: isoOrNull(check.lastPing),
    next_ping: isoOrNull(timing.expectedAt),
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
    badge_url: badgeUrl(check, context),
    last_duration: wholeSeconds(check.lastDuration),
    uuid: check.uuid,
    ping_url: `${pingEndpoint}${check.uuid}`,
    update_url: updateUrl,
    pause_url: `${updateUrl}/pause`,
    resume_url: `${updateUrl}/resume`,
    channels: channelIds.length < 2 ? (channelIds[0] ?? '') : [...channelIds].sort().join(','),
    timeout: isSimple ? check.timeoutSeconds : undefined,
    schedule: isSimple ? undefined : check.schedule,
    tz: isSimple ? undefined : check.tz,
  };
}

/** Check as a read-only key sees it: without addresses that ping or change it. */
export function describeCheckReadOnly(check: ShownCheck, context: ViewContext) {
  const timing = timingAt(check, context.now);
  const isSimple = check.kind === 'simple';
  return {
    name: check.name,
    slug: check.slug,
    tags: check.tags,
    desc: check.description,
    grace: check.graceSeconds,
    n_pings: check.pingCount,
    status: shownStatus(check, timing.status, context),
    started: check.lastStart !== null,
    last_ping: isoOrNull(check.lastPing),
    next_ping: isoOrNull(timing.expectedAt),
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
    badge_url: badgeUrl(check, context),
    last_duration: wholeSeconds(check.lastDuration),
    unique_key: check.uniqueKey,
    timeout: isSimple ? check.timeoutSeconds : undefined,
    schedule: isSimple ? undefined : check.schedule,
    tz: isSimple ? undefined : check.tz,
  };
}

/** Check as the caller's key, or role in the project, may see it. */
export function describeCheckFor(
  { version, kind }: Pick<Caller, 'version' | 'kind'>,
  { check, channelIds }: { readonly check: ShownCheck; readonly channelIds: readonly string[] },
  { addresses, now }: Omit<ViewContext, 'version'>,
) {
  const context = { addresses, version, now };
  return kind === 'read-write'
    ? describeCheck(check, channelIds, context)
    : describeCheckReadOnly(check, context);
}

function badgeUrl({ badgeUuid }: ShownCheck, { addresses }: ViewContext): string {
  return `${addresses.siteRoot}/b/2/${badgeUuid}.svg`;
}

function wholeSeconds(micros: number | null): number | undefined {
  return micros === null ? undefined : Math.floor(micros / microsPerSecond);
}

/** Version 1 reports a running job by its own status, which the contract, that of version 3, lacks. */
const running = 'started' as CheckStatus;

function shownStatus(check: ShownCheck, status: CheckStatus, { version, now }: ViewContext): CheckStatus {
  if (version > 1 || check.lastStart === null) return status;
  const hasOutrun = now >= check.lastStart + check.graceSeconds * microsPerSecond;
  return hasOutrun ? status : running;
}
