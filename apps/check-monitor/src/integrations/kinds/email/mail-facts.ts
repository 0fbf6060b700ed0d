import { parsePart, subjectOf } from '../../../mime.js';
import type { AlertEvent, AlertedPing, PingOrigin } from '../../messages/alert-event.js';
import type { Fact } from '../../messages/event-facts.js';
import type { EventView } from '../../messages/event-view.js';
import { spokenMoment } from '../../messages/spoken-time.js';

const maxSubjectLength = 500;

/**
 * Facts of an event for a mail, which people read hours later: also the moment and the origin of the last ping. Moments
 * are shown in `zone`, the receiver's; without one as in other messages.
 */
export function mailFacts({ at, check, lastPing }: AlertEvent, view: EventView, zone?: string): Fact[] {
  const { period } = check;
  const shownZone = zone ?? (period.kind === 'simple' ? 'UTC' : period.tz);
  const [moment, ...others] = view.facts;
  return [
    ...(moment === undefined ? [] : [{ ...moment, text: spokenMoment(at, shownZone) }]),
    ...others,
    ...(lastPing === null ? [] : pingFacts(lastPing, shownZone)),
  ];
}

function pingFacts({ at, origin, isMail, body }: AlertedPing, zone: string): Fact[] {
  const subject = isMail && body !== null ? subjectOf(parsePart(body)).slice(0, maxSubjectLength) : '';
  return [
    { label: 'Last Ping At', text: spokenMoment(at, zone), isShort: true },
    ...(origin === undefined ? [] : [{ label: 'Last Ping By', text: describeOrigin(origin), isShort: true }]),
    ...(subject === '' ? [] : [{ label: 'Last Ping Subject', text: oneLine(subject), isShort: false }]),
  ];
}

/** `HTTP POST from 192.0.2.7`, `email from 192.0.2.7`. */
function describeOrigin({ scheme, method, remoteAddr }: PingOrigin): string {
  const way = scheme === 'email' ? scheme : `${scheme.toUpperCase()} ${method}`.trim();
  return remoteAddr === null ? way : `${way} from ${remoteAddr}`;
}

/** RFC 5322 §2.2: a header is one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
