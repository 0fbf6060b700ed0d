/** Rows in the order in which they are shown. */
export interface SteadyRows<Row> {
  readonly rows: Row[];
  /** How many of them are elsewhere in the order of the service. */
  readonly moved: number;
  /** Keys of those that the search or the filter no longer finds. */
  readonly unfit: ReadonlySet<string>;
}

/** Facts of rows that are not loaded any more. */
export interface AbsentRows<Row> {
  /** Whether the filter of the list still finds a row. */
  readonly fits?: ((row: Row) => boolean) | undefined;
  /** Keys of the rows that are being looked up; no one knows yet why they are absent, so none of them counts. */
  readonly pending?: ReadonlySet<string>;
}

/**
 * The rows that a list has loaded again, in the places in which they are shown already. A row that is no longer loaded
 * stays as it was; one that was not shown comes after the others, as the rows of a next page do.
 */
export function steadyRows<Row>(
  shown: readonly Row[],
  loaded: readonly Row[],
  keyOf: (row: Row) => string,
  { fits = () => true, pending = new Set() }: AbsentRows<Row> = {},
): SteadyRows<Row> {
  const newest = new Map(loaded.map((row) => [keyOf(row), row]));
  const places = new Map(shown.map((row, place) => [keyOf(row), place]));
  const isShown = (row: Row) => places.has(keyOf(row));
  const added = loaded.filter((row) => !isShown(row));
  const order = loaded.flatMap((row) => places.get(keyOf(row)) ?? []);
  const absent = shown.filter((row) => !newest.has(keyOf(row)) && !pending.has(keyOf(row)));
  const unfit = new Set(absent.filter((row) => !fits(row)).map(keyOf));
  const gone = absent.length - unfit.size;
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
