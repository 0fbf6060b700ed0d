import { isoSeconds, type Micros } from '../../instants.js';
import { cloakedLink, cloakedTestLink } from '../links/cloaked-link.js';
import { type AlertEvent, type AlertedPing, type AlertStatus, displayName } from './alert-event.js';
import { spokenSignal } from './spoken-signal.js';
import { spokenAge, spokenDuration, spokenMoment, spokenPeriod } from './spoken-time.js';

/** One line of a message. `codes` are shown as code where the target has such a thing, each separately. */
export type Fact =
  | { readonly label: string; readonly text: string; readonly isShort: boolean }
  | { readonly label: string; readonly words: readonly string[]; readonly isShort: boolean }
  | { readonly label: string; readonly codes: readonly string[]; readonly isShort: boolean };

/** What every message is made of; plain text throughout, nothing escaped. */
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
  /** Body of the last ping, cut to 1000 characters; undefined when there is none or it was a mail. */
  readonly body: string | undefined;
  /** What is up with the other checks, one line each; empty when there are none. */
  readonly others: readonly string[];
  /** Those of the other checks that `others` names. */
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
// targets limit the parts of a message, and nothing limits a description
const maxDescriptionLength = 500;

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
  return text === undefined ? undefined : cut(text, maxBodyLength, '\n[truncated]');
}

/** Not all bodies are UTF-8. */
function bodyText(ping: AlertedPing | null): string | undefined {
  return ping?.body == null || ping.body.length === 0 ? undefined : ping.body.toString('utf8');
}

/** Whole characters only: half of a pair is no text. */
function cut(text: string, limit: number, ending: string): string {
  const characters = [...text];
  return characters.length > limit ? characters.slice(0, limit).join('') + ending : text;
}

/** Text of a fact where nothing is shown as code. */
export function factText(fact: Fact): string {
  if ('text' in fact) return fact.text;
  return 'words' in fact ? fact.words.join(', ') : fact.codes.join('\n');
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

/** In the zone of the schedule, where there is one: its people think in it. */
function momentOf({ at, check: { period } }: AlertEvent): string {
  return spokenMoment(at, period.kind === 'simple' ? 'UTC' : period.tz);
}

function factsOf(event: AlertEvent, now: Micros): Fact[] {
  const { check, projectName, lastPing, status } = event;
  const description = cut(check.description, maxDescriptionLength, '…');
  return [
    { label: status === 'up' ? 'Came Up' : 'Went Down', text: momentOf(event), isShort: true },
    ...changesFact(event),
    ...(description === '' ? [] : [{ label: 'Description', text: description, isShort: false }]),
    ...(projectName === '' ? [] : [{ label: 'Project', text: projectName, isShort: true }]),
    ...(check.tagList.length === 0 ? [] : [{ label: 'Tags', words: check.tagList, isShort: true }]),
    ...periodFacts(check.period),
    ...pingFacts(check.pingCount, lastPing, now),
  ];
}

const maxChanges = 10;

/** Changes that could not be sent when they happened. */
function changesFact({ changes = [], check: { period } }: AlertEvent): Fact[] {
  if (changes.length < 2) return [];
  const zone = period.kind === 'simple' ? 'UTC' : period.tz;
  const named = changes
    .slice(-maxChanges)
    .map(({ status, at }) => `${status.toUpperCase()} at ${spokenMoment(at, zone)}`);
  const left = changes.length - named.length;
  const text = [...(left === 0 ? [] : [`${left} earlier ones`]), ...named].join('; ');
  return [{ label: 'Changes', text, isShort: false }];
}

function periodFacts(period: AlertEvent['check']['period']): Fact[] {
  if (period.kind === 'simple') {
    return [{ label: 'Period', text: spokenPeriod(period.timeoutSeconds), isShort: true }];
  }
  return [
    { label: 'Schedule', codes: period.schedule.split('\n').map((line) => line.trim()), isShort: true },
    { label: 'Time Zone', text: period.tz, isShort: true },
  ];
}

/** As they were at the change: a message may be late, and by then the ping may have been deleted for newer ones. */
function pingFacts(pingCount: number, ping: AlertedPing | null, now: Micros): Fact[] {
  if (ping === null && pingCount > 0)
    return [{ label: 'Last Ping', text: 'No longer stored', isShort: true }];
  return [
    { label: 'Total Pings', text: String(ping?.n ?? 0), isShort: true },
    { label: 'Last Ping', text: describePing(ping, now), isShort: true },
  ];
}

function describePing(ping: AlertedPing | null, now: Micros): string {
  return ping === null ? 'Never' : `${spokenSignal(ping)}, ${spokenAge(ping.at, now)}`;
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
