import type { AlertStatus } from './alert-event.js';
import type { Markup } from './markup.js';

/** A message for people that is not about one change of one check. */
export interface Notice {
  /** For the colour of the message. */
  readonly status: AlertStatus;
  readonly title: string;
  readonly lines: readonly string[];
  /** How many lines there would be beyond these; 0 when absent. */
  readonly moreLines?: number;
}

/** As many lines as fit into `maxOctets` of UTF-8, marked up, and how many more there are. */
export function noticeLines(
  { lines, moreLines = 0 }: Notice,
  { plain, lineBreak }: Markup,
  maxOctets: number,
): string {
  const fitting: string[] = [];
  let left = maxOctets - 50;
  for (const line of lines) {
    const text = plain(line);
    left -= Buffer.byteLength(text + lineBreak);
    if (left < 0) break;
    fitting.push(text);
  }
  const more = lines.length - fitting.length + moreLines;
  return [...fitting, ...(more === 0 ? [] : [plain(`and ${more} more`)])].join(lineBreak);
}

/** A sign and the title. */
export function noticeTitle({ status, title }: Notice): string {
  return `${status === 'up' ? '🟢' : '🔴'} ${title}`;
}
