/** A bar of a chart: its name for people, and a count for each series. */
export interface Bar {
  readonly key: string;
  /** Such as `Week of 2 Mar 2026`. */
  readonly label: string;
  readonly counts: readonly number[];
}

/** Part of a bar, in units of a chart that is 100 high: `top` is counted from above. */
export interface BarPart {
  /** Number of the series. */
  readonly series: number;
  readonly top: number;
  readonly height: number;
}

/** Height of the smallest part that is not zero, so that 1 of 50,000 is seen. */
const minHeight = 3;

/** The parts of a bar from below to above; the highest bar, with `highest` in all, is 100 high. */
export function partsOfBar(counts: readonly number[], highest: number): readonly BarPart[] {
  const heights = counts.map((count) =>
    count === 0 || highest === 0 ? 0 : Math.max(minHeight, (count / highest) * 100),
  );
  const total = heights.reduce((sum, height) => sum + height, 0);
  // what the smallest parts have gained, the others lose
  const factor = total > 100 ? 100 / total : 1;
  let top = 100;
  return heights.flatMap((height, series) => {
    if (height === 0) return [];
    top -= height * factor;
    return [{ series, top, height: height * factor }];
  });
}

/** The sum of the counts of a bar. */
export function totalOf({ counts }: Pick<Bar, 'counts'>): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The place that an arrow key leads to from `place`, of `count` places; undefined for other keys. */
export function placeAfterKey(key: string, place: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, place - 1);
    case 'ArrowRight':
      return Math.min(count - 1, place + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
