/**
 * One line of comma-separated values (RFC 4180), with its end. A cell that a spreadsheet would take for a formula
 * begins with an apostrophe, by which spreadsheets know text.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

// also in the wide forms that some spreadsheets take for the same
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return /["',\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
