import { decodeHTML } from 'entities';
import { pythonWhitespace, stripWhitespace } from '../../python-whitespace.js';

// the next thing that is not text: a tag, a comment, or what begins like one
const markup = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]*)|\/)/gi;
// within a tag: its end, or a value, in which a > is no end
const valueOrEnd = />|=\s*(?:(["'])|[^\s>"'][^\s>]*)/g;

const hiddenElements: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * Words of an HTML text: tags leave no blank behind, runs of blanks become one. What browsers do not show is omitted,
 * and so is a tag or comment without an end. Takes time in proportion to the length, whatever the text.
 */
export function textOfHtml(html: string): string {
  const shown: string[] = [];
  for (let at = 0; at < html.length; ) {
    const begin = nextMarkup(html, at);
    const text = html.slice(at, begin?.index ?? html.length);
    shown.push(text.includes('&') ? decodeHTML(text) : text);
    if (begin === undefined) break;
    at = endOfMarkup(html, begin);
  }
  return stripWhitespace(shown.join('')).split(pythonWhitespace).join(' ');
}

function nextMarkup(html: string, from: number): RegExpExecArray | undefined {
  markup.lastIndex = from;
  return markup.exec(html) ?? undefined;
}

function endOfMarkup(html: string, { index, 0: begun, 1: slash, 2: name }: RegExpExecArray): number {
  const after = index + begun.length;
  if (begun === '<!--') return endOf(html, '-->', after);
  if (name === undefined) return endOf(html, '>', after);
  const end = html[after] === '>' ? after + 1 : endOfTag(html, after);
  const element = name.toLowerCase();
  const isEmpty = html.endsWith('/>', end);
  if (slash !== '' || isEmpty || !hiddenElements.has(element)) return end;
  const close = element === 'script' ? /<\/script(?=[\s/>])/gi : /<\/style(?=[\s/>])/gi;
  close.lastIndex = end;
  return close.exec(html)?.index ?? html.length;
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

/** Place after the `>` of a tag; that of a quoted value does not count. */
function endOfTag(html: string, from: number): number {
  for (let at = from; ; ) {
    valueOrEnd.lastIndex = at;
    const found = valueOrEnd.exec(html);
    if (found === null) return html.length;
    if (found[0] === '>') return valueOrEnd.lastIndex;
    const [, quote] = found;
    at = quote === undefined ? valueOrEnd.lastIndex : endOf(html, quote, valueOrEnd.lastIndex);
  }
}
