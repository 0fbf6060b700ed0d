import type { AlertEvent } from '../alert-event.js';
import { bodyEnd, type EventView } from '../event-view.js';
import {
  escapeHtml,
  factLine,
  factLines,
  htmlMarkup,
  joinBlocks,
  othersBlock,
  plainText,
} from '../markup.js';
import { attachableMail } from './attached-mail.js';

/** What a person reads of a mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The parts of a mail that differ with the event. */
export interface MailContent extends MailText {
  /** The mail that the last ping was. */
  readonly attachment?: Buffer;
  /** What to say where that cannot be sent. */
  readonly smaller?: MailText;
}

const longestBody = 10_000;

/** Mail about an event; `unsubscribeUrl` is where its receiver may end all further ones. */
export function emailMessage(event: AlertEvent, view: EventView, unsubscribeUrl: string): MailContent {
  const { lastPing } = event;
  const write = (log: PingLog | undefined): MailText => ({
    subject: `${view.statusWord} | ${oneLine(view.name)}`,
    text: textOf(view, log, unsubscribeUrl),
    html: htmlOf(view, log, unsubscribeUrl),
  });
  if (lastPing?.isMail !== true) {
    const body = bodyEnd(lastPing, longestBody);
    return write(body === undefined ? undefined : { body });
  }
  if (lastPing.body === null) return write(undefined);
  const { source, omitted } = attachableMail(lastPing.body);
  return {
    ...write({ note: `See the attachment.${omittedNote(omitted)}` }),
    attachment: source,
    smaller: write({ note: 'Not attached: the mail server refused a message of its size.' }),
  };
}

/** What a mail shows of the body of the last ping, or says of it. */
type PingLog = { readonly body: string } | { readonly note: string };

function omittedNote(omitted: readonly string[]): string {
  const named = omitted.slice(0, maxOmitted);
  const left = omitted.length - named.length;
  if (left > 0) named.push(`${left} more`);
  return named.length === 0 ? '' : ` Left out: ${named.join(', ')}.`;
}

const maxOmitted = 5;

function textOf(view: EventView, log: PingLog | undefined, unsubscribeUrl: string): string {
  const blocks = [
    view.sentence,
    factLines(view, plainText),
    log && `Last Ping Body:\n\n${'body' in log ? log.body : log.note}`,
    othersBlock(view, plainText),
    view.link,
    `--\n${view.siteName}\nUnsubscribe: ${unsubscribeUrl}`,
  ];
  return `${joinBlocks(blocks, Number.POSITIVE_INFINITY)}\n`;
}

const colours = { up: '#2c8f3a', down: '#c5392b' };

function htmlOf(view: EventView, log: PingLog | undefined, unsubscribeUrl: string): string {
  const facts = view.facts
    .map((fact) => `<p style="margin: 4px 0">${factLine(fact, htmlMarkup)}</p>`)
    .join('\n');
  const others = view.others.map((line) => `${escapeHtml(line)}<br>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(view.title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.4">
<h1 style="font-size: 20px; color: ${colours[view.status]}">${escapeHtml(view.sentence)}</h1>
${facts}
${logHtml(log)}${others === '' ? '' : `<p>${others}</p>\n`}<p>${htmlMarkup.link(`View on ${view.siteName}`, view.link)}</p>
<hr>
<p style="font-size: 12px">${escapeHtml(view.siteName)} · ${htmlMarkup.link('Unsubscribe', unsubscribeUrl)}</p>
</body>
</html>
`;
}

function logHtml(log: PingLog | undefined): string {
  if (log === undefined) return '';
  const shown = 'body' in log ? preformatted(log.body) : `<p>${escapeHtml(log.note)}</p>`;
  return `<p><b>Last Ping Body:</b></p>\n${shown}\n`;
}

function preformatted(body: string): string {
  return `<pre style="padding: 8px; background: #f4f4f4; white-space: pre-wrap">${escapeHtml(body)}</pre>`;
}

/** RFC 5322 §2.2: a header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
