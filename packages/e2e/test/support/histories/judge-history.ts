import type { Fqdn, FqdnStatus } from '@certloop/contracts';
import { type Batch, day, type History, minute } from './history.js';

/** What the services show of a name at one moment. */
export interface Shown {
  readonly fqdn: Fqdn & { readonly status: FqdnStatus };
  /** Status of its check; undefined if there is none. */
  readonly check: string | undefined;
  readonly now: number;
}

/** Which rules the services break for the name, once all work is done; none while the monitor is away. */
export function findBreaches(batch: Batch, history: History, shown: Shown): string[] {
  const isWatched = isWatchedNow(batch, history, shown);
  noteWatched(batch, history, shown, isWatched);
  const breaches = [
    ...(batch.state.monitorAway === undefined
      ? [...checkBreaches(batch, shown, isWatched), ...endBreaches(history, shown, isWatched)]
      : []),
    ...renewalBreaches(batch, history, shown),
  ];
  const { status } = shown.fqdn;
  const stand = `${status.state}, ${status.outlook} (${status.reason}), and its check is ${shown.check}`;
  return breaches.map((what) => `${what}: ${stand}`);
}

/** The mode of the watch, as docs/watch.md has it. */
function isWatchedNow({ state }: Batch, { spaceId }: History, { fqdn, now }: Shown): boolean {
  if (state.unwatchedSpaces.has(spaceId)) return false;
  if (fqdn.renewalEnabled) return true;
  const end = endOf(fqdn);
  if (end === undefined || end < now - 30 * day) return false;
  return !(Date.parse(fqdn.expiryAcceptedUntil ?? '') > now);
}

function endOf({ status }: Pick<Fqdn, 'status'>): number | undefined {
  const certificate = status?.certificate;
  return certificate && Date.parse(certificate.chainExpiresAt ?? certificate.expiresAt);
}

function checkBreaches({ state }: Batch, { fqdn: { status }, check, now }: Shown, isWatched: boolean) {
  // checks of long expired certificates end when they are compared, once a day
  const end = status.certificate && endOf({ status });
  const isEnding = end !== undefined && end < now - 30 * day && end >= now - 31 * day;
  if (!isWatched) return check === undefined || isEnding ? [] : ['is not watched, and has a check'];
  if (check === undefined) return ['is watched, and has no check'];
  const attentionAt = Date.parse(status.attentionAt ?? '9999-12-31');
  const isReplaced = /^The certificate was revoked/.test(status.reason) && willRenew(status);
  if (attentionAt <= now && check !== 'down' && !isReplaced)
    return ['needs people, and its check is not down'];
  const isWell = status.state === 'valid' && attentionAt - now > 2 * minute;
  return isWell && check === 'down' && now >= state.comparedFrom ? ['is well, and its check is down'] : [];
}

/** A certificate whose end was known a minute before has not ended without a message. */
function endBreaches({ watchedCertificate, messages }: History, { fqdn, now }: Shown, isWatched: boolean) {
  const end = endOf(fqdn);
  const since = watchedCertificate?.since;
  if (!isWatched || end === undefined || since === undefined || now < end || since > end - minute) return [];
  const last = messages.filter(({ at }) => at <= end).at(-1);
  return last?.status === 'down' ? [] : ['ended without a message before'];
}

/** Nothing says that a renewal happens that cannot. */
function renewalBreaches({ state }: Batch, { spaceId }: History, { fqdn }: Shown): string[] {
  const { status } = fqdn;
  const cannot =
    !fqdn.renewalEnabled ||
    status.csr === undefined ||
    status.certificate === undefined ||
    state.closedSpaces.has(spaceId) ||
    state.areProvidersDisabled;
  const says = willRenew(status) || /renews on|next try/i.test(status.reason);
  return cannot && says && status.outlook !== 'running' ? ['cannot be renewed, and says that it is'] : [];
}

const willRenew = ({ outlook }: FqdnStatus) =>
  ['due', 'retrying', 'scheduled', 'running', 'unscheduled'].includes(outlook);

/** Notes since when the monitor watches the newest certificate. */
function noteWatched({ state }: Batch, history: History, { fqdn, now }: Shown, isWatched: boolean): void {
  const id = fqdn.status.certificate?.id;
  if (id === undefined || !isWatched || state.monitorAway !== undefined) {
    history.watchedCertificate = undefined;
    return;
  }
  const before = history.watchedCertificate;
  const since = before?.id === id ? before.since : now;
  history.watchedCertificate = { id, since: Math.max(since, state.runningSince) };
}
