import { isoSeconds, type Micros } from '../../instants.js';
import { cloakedLink, cloakedTestLink } from '../links/cloaked-link.js';
import { type AlertEvent, type AlertedPing, type AlertStatus, displayName } from './alert-event.js';
import { cutText, type Fact, factsOf, momentOf } from './event-facts.js';
import { spokenAge, spokenDuration } from './spoken-time.js';

/** Parts of which every message is made; plain text throughout, nothing escaped. */
export interface EventView {
  readonly status: AlertStatus;
  /** `DOWN` or `UP`. */
  readonly statusWord: string;
  readonly name: string;
  /** `Backup is DOWN`. */
  readonly title: string;
  /** Why it went down: `received a failure signal`; empty for a recovery and where nothing is known. */
  readonly reason: string;
  /** `Reason: received a failure signal.`, or `The downtime lasted 1 hour.`; empty where nothing is known. */
  readonly explanation: string;
  /** `“Backup” is DOWN (received a failure signal).`, or `“Backup” is UP. The downtime lasted 1 hour.` */
  readonly sentence: string;
  /** When the status changed, ISO 8601 to the second. */
  readonly at: string;
  /** The same moment for people, with its zone: `2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)`. */
  readonly moment: string;
  /** The first one is the moment. */
  readonly facts: readonly Fact[];
  /** Body of the last ping, cut to 1000 characters; undefined if there is none or it was a mail. */
  readonly body: string | undefined;
  /** States of the other checks, one line each; empty if there are none. */
  readonly others: readonly string[];
  /** Other checks that `others` names. */
  readonly downOthers: readonly DownOther[];
  /** Signed address of the page of the check; does not give its uuid away. */
  readonly link: string;
  readonly siteName: string;
  /** Picture of the sender; undefined when the service has none. */
  readonly logoUrl: string | undefined;
}

/** Another check that is down. */
export interface DownOther {
  readonly name: string;
  /** `last ping: 5 minutes ago`. */
  readonly note: string;
  readonly link: string;
}

export interface ViewSite {
  readonly siteName: string;
  /** Address of this service without a trailing slash. */
  readonly siteRoot: string;
  readonly logoUrl: string | undefined;
  /** Signs the links to pages of checks. */
  readonly secret: string;
}

const maxBodyLength = 1000;

/** Texts of an event, as read at the moment `now`. */
export function viewEvent(event: AlertEvent, site: ViewSite, now: Micros): EventView {
  const name = displayName(event.check);
  const statusWord = event.status.toUpperCase();
  const reason = reasonOf(event);
  const explanation = explain(event, reason);
  const downOthers = downOthersOf(event, site, now);
  return {
    status: event.status,
    statusWord,
    name,
    title: `${name} is ${statusWord}`,
    reason,
    explanation,
    sentence: sentenceOf(`“${name}” is ${statusWord}`, reason, explanation),
    at: isoSeconds(event.at),
    moment: momentOf(event),
    facts: factsOf(event, now),
    body: event.lastPing?.isMail === true ? undefined : bodyStart(event.lastPing),
    others: describeOthers(event, downOthers),
    downOthers,
    link: linkOf(event, site),
    siteName: site.siteName,
    logoUrl: site.logoUrl,
  };
}

function linkOf({ check, isTest }: AlertEvent, site: ViewSite): string {
  return isTest === true ? cloakedTestLink(site, check.uniqueKey) : cloakedLink(site, check);
}

function bodyStart(ping: AlertedPing | null): string | undefined {
  const text = bodyText(ping);
  return text === undefined ? undefined : cutText(text, maxBodyLength, '\n[truncated]');
}

/** Not all bodies are UTF-8. */
function bodyText(ping: AlertedPing | null): string | undefined {
  return ping?.body == null || ping.body.length === 0 ? undefined : ping.body.toString('utf8');
}

function reasonOf({ status, reason }: AlertEvent): string {
  if (status === 'up') return '';
  if (reason === 'timeout') return 'success signal did not arrive on time, grace time passed';
  return reason === 'fail' ? 'received a failure signal' : '';
}

function explain({ status, downSince, at }: AlertEvent, reason: string): string {
  if (status === 'down') return reason === '' ? '' : `Reason: ${reason}.`;
  return downSince === null ? '' : `The downtime lasted ${spokenDuration(at - downSince)}.`;
}

function sentenceOf(news: string, reason: string, explanation: string): string {
  if (reason !== '') return `${news} (${reason}).`;
  return explanation === '' ? `${news}.` : `${news}. ${explanation}`;
}

function downOthersOf({ others: { down, downCount } }: AlertEvent, site: ViewSite, now: Micros): DownOther[] {
  if (down.length < downCount) return [];
  return down.map(({ name, lastPing, uuid, uniqueKey }) => ({
    name,
    note: `last ping: ${lastPing === null ? 'never' : spokenAge(lastPing, now)}`,
    link: cloakedLink(site, { uuid, uniqueKey }),
  }));
}

function describeOthers({ status, others }: AlertEvent, named: readonly DownOther[]): string[] {
  const { total, downCount } = others;
  if (total === 0) return [];
  if (downCount === 0) return ['All the other checks are up.'];
  const still = status === 'up' ? 'still' : 'also';
  if (named.length === 0) return [`${downCount} other checks are ${still} down.`];
  const lines = named.map(({ name, note }) => `- ${name} (${note})`);
  return [`The following checks are ${still} down:`, ...lines];
}
