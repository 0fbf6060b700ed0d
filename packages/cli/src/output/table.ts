import type { Paint } from './paint.js';

/** A thing to be shown: its facts by name, in their order. */
export type Row = Readonly<Record<string, unknown>>;

// A joiner between pictures makes one of several, as of a family.
const controls =
  /(?<=\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\p{Variation_Selector})?)(\u200d)(?=\p{Extended_Pictographic})|[\p{Cc}\p{Cf}]+/gu;

/** Text that a terminal may be sent: one line without control characters, which could move its cursor or its title. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return plainText(JSON.stringify(value));
  return String(value).replace(controls, (_control, joiner?: string) => joiner ?? ' ');
}

export interface TableOptions {
  /** Columns of the terminal, which lines are shortened to; absent means any length. */
  readonly columns?: number | undefined;
  readonly paint?: Paint;
}

/** Rows under their headings, each column as wide as its widest cell; '' if there are none. */
export function formatTable(rows: readonly Row[], { columns, paint }: TableOptions = {}): string {
  const [first] = rows;
  if (first === undefined) return '';
  const names = Object.keys(first);
  const cellOf = (name: string, value: unknown) => paint?.glyph(name, plainText(value)) ?? plainText(value);
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  const lines = [names.map((name) => name.toUpperCase()), ...cells];
  const widest = names.map((_, column) =>
    lines.reduce((max, line) => Math.max(max, widthOf(line[column])), 0),
  );
  const widths = columns === undefined ? widest : fitted(names, widest, columns);
  const padded = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    const shown = fitToWidth(cell, width);
    const filled = shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
    const isLast = column === names.length - 1;
    return paint?.colour(names[column] ?? '', isLast ? shown : filled) ?? filled;
  };
  return lines
    .map((line) => line.map(padded).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

const minWidth = 10;

/** Widths that fit the columns: the widest are cut first, the first column only after the others, and ids never. */
function fitted(names: readonly string[], widest: readonly number[], columns: number): number[] {
  const widths = [...widest];
  const excess = () => widths.reduce((sum, width) => sum + width + 2, -2) - columns;
  const order = names
    .map((_, column) => column)
    .filter((column) => names[column] !== 'id')
    .sort((a, b) => Number(a === 0) - Number(b === 0) || (widest[b] ?? 0) - (widest[a] ?? 0));
  for (const column of order) {
    const width = widths[column] ?? 0;
    widths[column] = Math.max(Math.min(width, minWidth), width - Math.max(0, excess()));
  }
  return widths;
}

const segmenter = new Intl.Segmenter();

/** A text of at most so many columns, which ends in … where something was cut. */
export function fitToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let left = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

// by Unicode's East Asian Width, as far as names are written in these scripts
const wide =
  /(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

/** Columns that a terminal needs for a text. */
function widthOf(text = ''): number {
  // nearly all of them, and the quicker way
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const columns = (sign: string) => (/\p{M}|\p{Cf}/u.test(sign) ? 0 : wide.test(sign) ? 2 : 1);
  return [...segmenter.segment(text)].reduce(
    (sum, { segment }) =>
      sum + (emoji.test(segment) ? 2 : [...segment].reduce((inner, sign) => inner + columns(sign), 0)),
    0,
  );
}

/** One fact a line, `name: value`. */
export function formatFacts(row: Row, paint?: Paint): string {
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const shown = plainText(value);
      return `${name}: ${paint === undefined ? shown : paint.colour(name, paint.glyph(name, shown))}\n`;
    })
    .join('');
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time by its two largest units, such as `1 h 30 min`; what is smaller is omitted. */
export function formatDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** Whole days from now, rounded down; negative when it has passed. */
export function daysUntil(instant: string, now: Date): number {
  return Math.floor((Date.parse(instant) - now.getTime()) / 86_400_000);
}
