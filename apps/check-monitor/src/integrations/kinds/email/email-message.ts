import { parsePart, subjectOf } from '../../../mime.js';
import type { AlertEvent, AlertedPing, PingOrigin } from '../../messages/alert-event.js';
import type { Fact } from '../../messages/event-facts.js';
import type { EventView } from '../../messages/event-view.js';
import {
  escapeHtml,
  factLine,
  factLines,
  htmlMarkup,
  joinBlocks,
  othersBlock,
  plainText,
} from '../../messages/markup.js';
import { spokenMoment } from '../../messages/spoken-time.js';
import { refusedBody, type ShownBody, shownBody } from './mail-body.js';

/** Text of a mail that a person reads. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The parts of a mail that differ with the event. */
export interface MailContent extends MailText {
  /** The mail that the last ping was. */
  readonly attachment?: Buffer;
  /** Text to send where that cannot be sent. */
  readonly smaller?: MailText;
}

/** Mail about an event; `unsubscribeUrl` is where its receiver may end all further ones, `zone` that of the receiver. */
export function emailMessage(
  event: AlertEvent,
  given: EventView,
  unsubscribeUrl: string,
  zone?: string,
): MailContent {
  const view = { ...given, facts: mailFacts(event, given, zone) };
  const write = (body: ShownBody | undefined): MailText => ({
    subject: `${view.statusWord} | ${oneLine(view.name)}`,
    text: textOf(view, body, unsubscribeUrl),
    html: htmlOf(view, body, unsubscribeUrl),
  });
  const body = event.lastPing === null ? undefined : shownBody(event.lastPing);
  if (body?.attachment === undefined) return write(body);
  return { ...write(body), attachment: body.attachment, smaller: write(refusedBody) };
}

function textOf(view: EventView, body: ShownBody | undefined, unsubscribeUrl: string): string {
  const blocks = [
    view.sentence,
    factLines(view, plainText),
    ...(body === undefined ? [] : ['Last Ping Body:', body.note || undefined, body.text]),
    othersBlock(view, plainText),
    view.link,
    `--\n${view.siteName}\nUnsubscribe: ${unsubscribeUrl}`,
  ];
  return `${joinBlocks(blocks, Number.POSITIVE_INFINITY)}\n`;
}

const colours = { up: '#2c8f3a', down: '#c5392b' };

function htmlOf(view: EventView, body: ShownBody | undefined, unsubscribeUrl: string): string {
  const others = view.others.map((line) => `${escapeHtml(line)}<br>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(view.title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.4">
<h1 style="font-size: 20px; color: ${colours[view.status]}">${escapeHtml(view.sentence)}</h1>
${view.facts.map(factHtml).join('\n')}
${bodyHtml(body)}${others === '' ? '' : `<p>${others}</p>\n`}<p>${htmlMarkup.link(`View on ${view.siteName}`, view.link)}</p>
<hr>
<p style="font-size: 12px">${escapeHtml(view.siteName)} · ${htmlMarkup.link('Unsubscribe', unsubscribeUrl)}</p>
</body>
</html>
`;
}

/** Descriptions have lines of their own. */
function factHtml(fact: Fact): string {
  return `<p style="margin: 4px 0">${factLine(fact, htmlMarkup).replaceAll(/\r?\n/g, '<br>')}</p>`;
}

function bodyHtml(body: ShownBody | undefined): string {
  if (body === undefined) return '';
  const note = body.note === '' ? '' : `<p>${escapeHtml(body.note)}</p>\n`;
  const text = body.text === undefined ? '' : `${preformatted(body.text)}\n`;
  return `<p><b>Last Ping Body:</b></p>\n${note}${text}`;
}

function preformatted(text: string): string {
  return `<pre style="padding: 8px; background: #f4f4f4; white-space: pre-wrap">${escapeHtml(text)}</pre>`;
}

const maxSubjectLength = 500;

/**
 * Facts of an event for a mail, which people read hours later: also the moment and the origin of the last ping. Moments
 * are shown in `zone`, the receiver's; without one as in other messages.
 */
function mailFacts({ at, check, lastPing }: AlertEvent, view: EventView, zone?: string): Fact[] {
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
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
