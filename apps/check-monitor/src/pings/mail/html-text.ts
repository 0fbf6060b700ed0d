import { decodeHTML } from 'entities';
import { pythonWhitespace, stripWhitespace } from '../../python-whitespace.js';

/** Work that may stop after each step, so that others get a turn; it ends with its result. */
export type Steps<T> = Generator<undefined, T>;

/** The result of work whose steps are taken at once. */
export function resultOf<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
  }
}

// the next thing that is not text: a tag, a comment, or what begins like one
const markup = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]*)|\/)/gi;
// within a tag: its end, or a value, in which a > is no end
const valueOrEnd = />|=\s*(?:(["'])|[^\s>"'][^\s>]*)/g;

const hiddenElements: ReadonlySet<string> = new Set(['script', 'style']);

/** Tags and values, or characters, of a step: some milliseconds of work. */
const stepMarks = 20_000;
const stepLength = 65_536;
/** A tag with more values than these counts as one without an end. */
const maxValues = 10_000;

/** Tags and values that were read in this step. */
interface Marks {
  count: number;
}

/**
 * Words of an HTML text: tags leave no blank behind, runs of blanks become one. What browsers do not show is omitted,
 * and so is a tag or comment without an end. Takes time in proportion to the length, whatever the text. The package
 * html-to-text adds line breaks and the addresses of links, so keywords that Healthchecks finds would not match.
 */
export function* stepsOfHtml(html: string): Steps<string> {
  const shown: string[] = [];
  const marks: Marks = { count: 0 };
  for (let at = 0; at < html.length; ) {
    const begin = nextMarkup(html, at);
    const text = html.slice(at, begin?.index ?? html.length);
    if (text.includes('&')) yield* decode(text, shown);
    else shown.push(text);
    if (begin === undefined) break;
    at = endOfMarkup(html, begin, marks);
    marks.count += 1;
    if (marks.count < stepMarks) continue;
    marks.count = 0;
    yield;
  }
  return yield* joinWords(stripWhitespace(shown.join('')));
}

/** Adds the decoded text in pieces that end before a reference. */
function* decode(text: string, shown: string[]): Steps<void> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('&', at + stepLength);
    const end = next < 0 ? text.length : next;
    shown.push(inOnePiece(decodeHTML(text.slice(at, end))));
    if (next >= 0) yield;
    at = end;
  }
}

/** The same text, joined now: the parts of a decoded text are joined when it is read, and those of a megabyte take long. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The text with one blank in the place of each run of blanks. */
function* joinWords(text: string): Steps<string> {
  let joined = '';
  for (let at = 0; at < text.length; at += stepLength) {
    const words = text
      .slice(at, at + stepLength)
      .split(pythonWhitespace)
      .join(' ');
    joined += joined.endsWith(' ') && words.startsWith(' ') ? words.slice(1) : words;
    yield;
  }
  return joined;
}

function nextMarkup(html: string, from: number): RegExpExecArray | undefined {
  markup.lastIndex = from;
  return markup.exec(html) ?? undefined;
}

function endOfMarkup(
  html: string,
  { index, 0: begun, 1: slash, 2: name }: RegExpExecArray,
  marks: Marks,
): number {
  const after = index + begun.length;
  if (begun === '<!--') return endOf(html, '-->', after);
  if (name === undefined) return endOf(html, '>', after);
  const end = html[after] === '>' ? after + 1 : endOfTag(html, after, marks);
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
function endOfTag(html: string, from: number, marks: Marks): number {
  const last = marks.count + maxValues;
  for (let at = from; ; ) {
    valueOrEnd.lastIndex = at;
    const found = valueOrEnd.exec(html);
    marks.count += 1;
    if (found === null || marks.count > last) return html.length;
    if (found[0] === '>') return valueOrEnd.lastIndex;
    const [, quote] = found;
    at = quote === undefined ? valueOrEnd.lastIndex : endOf(html, quote, valueOrEnd.lastIndex);
  }
}
