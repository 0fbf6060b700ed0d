import { csvLine } from '@certloop/contracts';
import { plainText, type Row } from './table.js';

/**
 * Rows as RFC 4180 has them, headings first; '' if there are none. A cell has its line breaks, but no other control
 * characters, and a text that a spreadsheet would run begins with an apostrophe.
 */
export function formatCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return '';
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  // a negative number is no formula
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const lines = text.split(/\r\n|\r|\n/).map(plainText);
  return csvLine([lines.join('\n')]).slice(0, -2);
}
