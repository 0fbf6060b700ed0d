/**
 * Which rows to ask the service for, at most `max`: first those that were never asked for, then those that answered
 * last, so that a row gives way only to one that was not asked for yet.
 */
export function rowsToAsk<Row>(
  rows: readonly Row[],
  answered: readonly string[],
  { keyOf, max }: { readonly keyOf: (row: Row) => string; readonly max: number },
): readonly Row[] {
  const turns = new Map(answered.map((key, turn) => [key, turn]));
  const turnOf = (row: Row) => turns.get(keyOf(row)) ?? Number.POSITIVE_INFINITY;
  return rows
    .toSorted((one, other) => (turnOf(one) === turnOf(other) ? 0 : turnOf(other) - turnOf(one)))
    .slice(0, max);
}
