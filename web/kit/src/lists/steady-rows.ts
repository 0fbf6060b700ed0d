/** Rows in the order in which they are shown. */
export interface SteadyRows<Row> {
  readonly rows: Row[];
  /** How many of them are elsewhere in the order of the service. */
  readonly moved: number;
  /** How many of them the search or the filter no longer finds. */
  readonly unfit: number;
}

/**
 * The rows that a list has loaded anew, in the places in which they are shown already. A row that is not loaded any more
 * stays as it was; one that was not shown comes after the others, as the rows of a next page do. `fits` reports whether
 * the filter of the list still finds a row.
 */
export function steadyRows<Row>(
  shown: readonly Row[],
  loaded: readonly Row[],
  keyOf: (row: Row) => string,
  fits: (row: Row) => boolean = () => true,
): SteadyRows<Row> {
  const newest = new Map(loaded.map((row) => [keyOf(row), row]));
  const places = new Map(shown.map((row, place) => [keyOf(row), place]));
  const isShown = (row: Row) => places.has(keyOf(row));
  const added = loaded.filter((row) => !isShown(row));
  const order = loaded.flatMap((row) => places.get(keyOf(row)) ?? []);
  const unfit = shown.filter((row) => !newest.has(keyOf(row)) && !fits(row)).length;
  const gone = shown.length - order.length - unfit;
  // rows behind the last one are those of the next page
  const between = loaded.slice(0, loaded.findLastIndex(isShown)).filter((row) => !isShown(row)).length;
  return {
    rows: [...shown.map((row) => newest.get(keyOf(row)) ?? row), ...added],
    // one that comes may push another off the page, which moves none
    moved: order.length - countOfRise(order) + Math.max(between, gone),
    unfit,
  };
}

/** Length of the longest part of the numbers, with gaps, that only rises. */
function countOfRise(numbers: readonly number[]): number {
  // the least last number of a rise of each length
  const ends: number[] = [];
  for (const number of numbers) {
    const place = ends.findLastIndex((end) => end < number) + 1;
    ends[place] = number;
  }
  return ends.length;
}
