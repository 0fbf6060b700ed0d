/** Element that an array of PostgreSQL may have here. */
export type ArrayElement = string | number | Buffer | null;

/**
 * Text of an array as PostgreSQL reads it (manual, 8.15.6 Array Input and Output Syntax). Lists of rows travel as one
 * array for each column, so that the statement is always the same.
 */
export function arrayText(elements: readonly ArrayElement[]): string {
  return `{${elements.map(elementText).join(',')}}`;
}

function elementText(element: ArrayElement): string | number {
  if (element === null) return 'NULL';
  if (typeof element === 'number') return element;
  // bytes are read from hex digits after \x
  if (typeof element !== 'string') return `"\\\\x${element.toString('hex')}"`;
  return `"${element.replaceAll(/["\\]/g, '\\$&')}"`;
}
