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

/** The parts of a mail that differ with the event. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The mail that the last ping was, in its raw form. */
  readonly rawMail: Buffer | undefined;
}

const longestBody = 10_000;

/** Mail about an event; `unsubscribeUrl` is where its receiver may end all further ones. */
export function emailMessage(event: AlertEvent, view: EventView, unsubscribeUrl: string): MailContent {
  const { lastPing } = event;
  const isMail = lastPing?.isMail === true;
  const body = isMail ? undefined : bodyEnd(lastPing, longestBody);
  return {
    subject: `${view.statusWord} | ${oneLine(view.name)}`,
    text: textOf(view, body, unsubscribeUrl),
    html: htmlOf(view, body, unsubscribeUrl),
    rawMail: isMail ? (lastPing.body ?? undefined) : undefined,
  };
}

function textOf(view: EventView, body: string | undefined, unsubscribeUrl: string): string {
  const blocks = [
    view.sentence,
    factLines(view, plainText),
    body === undefined ? undefined : `Last Ping Body:\n\n${body}`,
    othersBlock(view, plainText),
    view.link,
    `--\n${view.siteName}\nNo longer wish to be told? ${unsubscribeUrl}`,
  ];
  return `${joinBlocks(blocks, Number.POSITIVE_INFINITY)}\n`;
}

const colours = { up: '#2c8f3a', down: '#c5392b' };

function htmlOf(view: EventView, body: string | undefined, unsubscribeUrl: string): string {
  const facts = view.facts
    .map((fact) => `<p style="margin: 4px 0">${factLine(fact, htmlMarkup)}</p>`)
    .join('\n');
  const log = body === undefined ? '' : `<p><b>Last Ping Body:</b></p>\n${preformatted(body)}\n`;
  const others = view.others.map((line) => `${escapeHtml(line)}<br>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(view.title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.4">
<h1 style="font-size: 20px; color: ${colours[view.status]}">${escapeHtml(view.sentence)}</h1>
${facts}
${log}${others === '' ? '' : `<p>${others}</p>\n`}<p>${htmlMarkup.link(`View on ${view.siteName}`, view.link)}</p>
<hr>
<p style="font-size: 12px">${escapeHtml(view.siteName)} · ${htmlMarkup.link('Unsubscribe', unsubscribeUrl)}</p>
</body>
</html>
`;
}

function preformatted(body: string): string {
  return `<pre style="padding: 8px; background: #f4f4f4; white-space: pre-wrap">${escapeHtml(body)}</pre>`;
}

/** RFC 5322 §2.2: a header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
