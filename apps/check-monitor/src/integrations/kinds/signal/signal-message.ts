import { type Fact, factText } from '../../messages/event-facts.js';
import type { EventView } from '../../messages/event-view.js';
import { plainText } from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';
import type { SignalSettings } from './signal-kind.js';

/** signal-cli sends what is longer as a file. */
const maxOctets = 2000;

/** A stretch of text; styled ones are shown so by Signal. */
interface Span {
  readonly text: string;
  readonly style?: 'BOLD' | 'MONOSPACE';
}

/** Parameters of `send` of signal-cli: styles are `<start>:<length>:<style>`, counted in UTF-16 units. */
export function signalMessage(view: EventView, { recipient }: SignalSettings): object {
  const spans = withinLimit([
    headline(view),
    [{ text: `${view.link}\n\n` }],
    ...view.facts.map(factSpans),
    ...(view.others.length === 0 ? [] : [othersSpans(view)]),
    ...(view.body === undefined ? [] : [bodySpans(view.body)]),
  ]);
  return sendParameters(spans, recipient);
}

/** A notice in the same form. */
export function signalNotice(notice: Notice, { recipient }: SignalSettings): object {
  const text = `\n\n${noticeLines(notice, plainText, maxOctets / 2)}`;
  return sendParameters([{ text: noticeTitle(notice), style: 'BOLD' }, { text }], recipient);
}

function sendParameters(spans: readonly Span[], recipient: string): object {
  return {
    // the form of user names where numbers are taken too
    recipient: [recipient.startsWith('+') ? recipient : `u:${recipient}`],
    message: spans.map(({ text }) => text).join(''),
    textStyle: stylesOf(spans),
  };
}

function headline(view: EventView): Span[] {
  const isUp = view.status === 'up';
  const reason = view.reason === '' ? '' : ` (${view.reason})`;
  const downtime = isUp && view.explanation !== '' ? ` ${view.explanation}` : '';
  return [
    { text: 'The check ' },
    { text: view.name, style: 'BOLD' },
    { text: isUp ? ' is now ' : ' is ' },
    { text: view.statusWord, style: 'BOLD' },
    { text: `${reason}.${downtime}\n` },
  ];
}

function factSpans(fact: Fact): Span[] {
  const label: Span = { text: `${fact.label}:`, style: 'BOLD' };
  if (!('codes' in fact)) return [label, { text: ` ${factText(fact)}\n` }];
  const codes = fact.codes.flatMap((code): Span[] => [{ text: ' ' }, { text: code, style: 'MONOSPACE' }]);
  return [label, ...codes, { text: '\n' }];
}

function othersSpans({ others, downOthers }: EventView): Span[] {
  const [first = '', ...rest] = others;
  const named = downOthers.flatMap(({ name, note }): Span[] => [
    { text: '• ' },
    { text: name, style: 'BOLD' },
    { text: ` (${note})\n` },
  ]);
  const lines = named.length === 0 ? rest.map((line) => ({ text: `${line}\n` })) : named;
  return [{ text: `\n${first}\n` }, ...lines];
}

function bodySpans(body: string): Span[] {
  return [
    { text: '\nLast Ping Body:', style: 'BOLD' },
    { text: '\n' },
    { text: body, style: 'MONOSPACE' },
    { text: '\n' },
  ];
}

/** Leaves out the parts that do not fit; the first always stays. */
function withinLimit(parts: readonly (readonly Span[])[]): Span[] {
  let left = maxOctets;
  return parts.flatMap((part, index) => {
    const octets = Buffer.byteLength(part.map(({ text }) => text).join(''));
    if (index > 0 && octets > left) return [];
    left -= octets;
    return [...part];
  });
}

function stylesOf(spans: readonly Span[]): string[] {
  let start = 0;
  return spans.flatMap(({ text, style }) => {
    const begin = start;
    start += text.length;
    return style === undefined || text === '' ? [] : [`${begin}:${text.length}:${style}`];
  });
}
