import type { Micros } from '../../instants.js';
import type { AlertEvent, AlertedPing } from './alert-event.js';
import { spokenSignal } from './spoken-signal.js';
import { spokenAge, spokenMoment, spokenPeriod } from './spoken-time.js';

/** One line of a message. `codes` are shown as code where the target has such a thing, each separately. */
export type Fact =
  | { readonly label: string; readonly text: string; readonly isShort: boolean }
  | { readonly label: string; readonly words: readonly string[]; readonly isShort: boolean }
  | { readonly label: string; readonly codes: readonly string[]; readonly isShort: boolean };

// targets limit the parts of a message, and nothing limits a description
const maxDescriptionLength = 500;

/** Cuts whole characters only: half of a surrogate pair is not text. */
export function cutText(text: string, limit: number, ending: string): string {
  // a character has two units at most
  const characters = [...text.slice(0, 2 * (limit + 1))];
  return characters.length > limit ? characters.slice(0, limit).join('') + ending : text;
}

/** Text of a fact where nothing is shown as code. */
export function factText(fact: Fact): string {
  if ('text' in fact) return fact.text;
  return 'words' in fact ? fact.words.join(', ') : fact.codes.join('\n');
}

/** In the zone of the schedule, where there is one: its people think in it. */
export function momentOf({ at, check: { period } }: AlertEvent): string {
  return spokenMoment(at, period.kind === 'simple' ? 'UTC' : period.tz);
}

export function factsOf(event: AlertEvent, now: Micros): Fact[] {
  const { check, projectName, lastPing, status } = event;
  const description = cutText(check.description, maxDescriptionLength, '…');
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
