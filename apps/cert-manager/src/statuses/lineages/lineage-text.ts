import { readableText } from '../../providers/provider.js';
import { expectedOfLineage, type Lineage } from './lineage.js';
import { agentOf } from './user-agent.js';

const maxOthers = 3;
const maxReason = 400;

/** A client, its machine and its day, as in "client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7)". */
export function clientText({ client, userAgent, seenAt, ipAddress }: Lineage, now: Date): string {
  const agent = agentOf(userAgent);
  const seen = `last seen ${dayText(seenAt, now)} from ${ipAddress}`;
  const about = agent === undefined ? seen : `${agent}, ${seen}`;
  return `client ${readableText(client.name, 100)} (${readableText(about, 200)})`;
}

/** The lineages of an FQDN that people must know of, the worst first. */
export interface SpokenLineages {
  readonly lineages: readonly [Lineage, ...Lineage[]];
  /** How many there are in all. */
  readonly count: number;
}

/** Returns undefined for none. */
export function spokenOf([worst, ...others]: readonly Lineage[]): SpokenLineages | undefined {
  return worst && { lineages: [worst, ...others], count: 1 + others.length };
}

/** Returns a sentence about an FQDN whose client is late, with its other clients. */
export function lateText({ lineages, count }: SpokenLineages, now: Date): string {
  const [worst] = lineages;
  const what = `${clientText(worst, now)} has not renewed ${worst.fqdn}`;
  return `${what}, ${endOf(worst, now)}: look at that machine${othersText({ lineages, count }, now)}`;
}

/** Returns a sentence about an FQDN whose client failed to renew, with its other clients. */
export function failedOrderText({ lineages, count }: SpokenLineages, now: Date): string {
  const [worst] = lineages;
  const what = `${clientText(worst, now)} could not renew ${worst.fqdn}, ${endOf(worst, now)}`;
  const reason = readableText(worst.failure?.reason ?? 'unknown', maxReason).replace(/\.$/, '');
  return `${what}: ${reason}${othersText({ lineages, count }, now)}`;
}

/** Returns a sentence about an FQDN whose clients renew it. */
export function renewedText({ lineages, count }: SpokenLineages, now: Date): string {
  const [next] = lineages;
  const by = dayText(expectedOfLineage(next).expectedAt, now);
  return `${clientText(next, now)} renews it, expected by ${by}${othersText({ lineages, count }, now)}`;
}

/** The end or the revocation of the newest certificate of a lineage. */
function endOf({ certificate: { revokedAt, expiresAt } }: Lineage, now: Date): string {
  if (revokedAt !== null) return `whose certificate was revoked on ${dayText(revokedAt, now)}`;
  return `which ${expiresAt <= now ? 'expired' : 'expires'} on ${dayText(expiresAt, now)}`;
}

/** Names the other lineages, at most three. */
function othersText({ lineages: [, ...others], count }: SpokenLineages, now: Date): string {
  const named = others.slice(0, maxOthers).map((one) => clientText(one, now));
  const more = count - 1 - named.length;
  const all = more > 0 ? [...named, `${more} more`] : named;
  return all.length === 0 ? '' : `; it has certificates of ${listText(all)} too`;
}

function listText(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** A day in UTC, with its year if that is another one than now, as in "3 October". */
export function dayText(moment: Date, now: Date): string {
  const day = `${moment.getUTCDate()} ${months[moment.getUTCMonth()] ?? ''}`;
  const year = moment.getUTCFullYear();
  return year === now.getUTCFullYear() ? day : `${day} ${year}`;
}
