import type { Paint } from './paint.js';

/** A thing to be shown: its facts by name, in their order. */
export type Row = Readonly<Record<string, unknown>>;

/** Text that a terminal may be sent: one line without control characters, which could move its cursor or its title. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return String(value).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

export interface TableOptions {
  /** Columns of the terminal, which lines are shortened to; absent means any length. */
  readonly columns?: number | undefined;
  readonly paint?: Paint;
}

/** Rows under their headings, each column as wide as its widest cell; '' when there are none. */
export function table(rows: readonly Row[], { columns, paint }: TableOptions = {}): string {
  const [first] = rows;
  if (first === undefined) return '';
  const names = Object.keys(first);
  const cellOf = (name: string, value: unknown) => paint?.glyph(name, plain(value)) ?? plain(value);
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  const lines = [names.map((name) => name.toUpperCase()), ...cells];
  const widest = names.map((_, column) =>
    lines.reduce((max, line) => Math.max(max, widthOf(line[column])), 0),
  );
  const widths = columns === undefined ? widest : fitted(names, widest, columns);
  const padded = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    const shown = shortened(cell, width);
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

/** Widths that fit the columns: the widest are cut first, but never the first column and ids, which people copy. */
function fitted(names: readonly string[], widest: readonly number[], columns: number): number[] {
  const widths = [...widest];
  const isCuttable = (column: number) =>
    column > 0 && names[column] !== 'id' && (widths[column] ?? 0) > minWidth;
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width + 2, -2) - columns;
    const [column] = names
      .map((_, index) => index)
      .filter(isCuttable)
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (excess <= 0 || column === undefined) return widths;
    widths[column] = Math.max(minWidth, (widths[column] ?? 0) - excess);
  }
}

/** A text of at most so many columns, which ends in … where something was cut. */
function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const sign of text) {
    if (widthOf(cut + sign) > width - 1) break;
    cut += sign;
  }
  return `${cut}…`;
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Columns that a terminal needs for a text. */
function widthOf(text = ''): number {
  const columns = (sign: string) => (/\p{M}/u.test(sign) ? 0 : wide.test(sign) ? 2 : 1);
  // nearly all of them, and the quicker way
  if (/^\p{ASCII}*$/u.test(text)) return text.length;
  return [...text].reduce((sum, sign) => sum + columns(sign), 0);
}

/** One fact a line, `name: value`. */
export function facts(row: Row, paint?: Paint): string {
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const shown = plain(value);
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

/** A length of time by its two largest units, such as `1 h 30 min`; what is smaller is left out. */
export function lasting(seconds: number): string {
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
