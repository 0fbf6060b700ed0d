/** A thing to be shown: its facts by name, in their order. */
export type Row = Readonly<Record<string, unknown>>;

/** Text that a terminal may be sent: one line without control characters, which could move its cursor or its title. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return plain(JSON.stringify(value));
  return String(value).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

/** Rows under their headings, each column as wide as its widest cell; '' when there are none. */
export function table(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => plain(row[name])));
  const lines = [names.map((name) => name.toUpperCase()), ...cells];
  const widths = names.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[column])), 0),
  );
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return lines
    .map((line) => line.map(padded).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
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
export function facts(row: Row): string {
  return Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${plain(value)}\n`)
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
