const dayMs = 24 * 60 * 60 * 1000;

/** Days on which a schedule comes, in the calendar alone: no zone is involved. */
export interface DayPattern {
  /** Whether any day of the year may match. */
  hasYear(year: number): boolean;
  /** Whether any day of the month, 1 to 12, may match. */
  hasMonth(month: number): boolean;
  /** Whether a day of a month matches. Two months that have the same days must have the same matches. */
  hasDay(dayOfMonth: number, daysInMonth: number, weekday: number): boolean;
}

/** Counts the parts of a search: years and months that it looks at. For tests of its cost. */
export type CountStep = () => void;

/** Finds days of a pattern. A month costs one step, whether it has a match or not. */
export class DaySearch {
  readonly #pattern: DayPattern;
  readonly #months: readonly number[];
  readonly #countStep: CountStep;
  // one mask of matching days for each of the 28 forms of a month: its length and the weekday of its first day
  readonly #masks: number[] = [];

  constructor(pattern: DayPattern, countStep: CountStep = () => undefined) {
    this.#pattern = pattern;
    this.#months = Array.from({ length: 12 }, (_, index) => index + 1).filter((month) =>
      pattern.hasMonth(month),
    );
    this.#countStep = countStep;
  }

  /** First matching day in `from`…`last`, all of them midnights in milliseconds; undefined if there is none. */
  firstFrom(from: number, last: number): number | undefined {
    const start = new Date(from);
    const startYear = start.getUTCFullYear();
    const startMonth = start.getUTCMonth() + 1;
    const lastYear = new Date(last).getUTCFullYear();
    for (let year = startYear; year <= lastYear; year++) {
      this.#countStep();
      if (!this.#pattern.hasYear(year)) continue;
      for (const month of this.#months) {
        if (year === startYear && month < startMonth) continue;
        this.#countStep();
        const earliest = year === startYear && month === startMonth ? start.getUTCDate() : 1;
        const day = this.#firstDayOf(year, month, earliest);
        if (day !== undefined) return day <= last ? day : undefined;
      }
    }
    return undefined;
  }

  /** Whether the day, a midnight in milliseconds, matches. */
  has(day: number): boolean {
    return this.firstFrom(day, day) === day;
  }

  #firstDayOf(year: number, month: number, earliest: number): number | undefined {
    const first = Date.UTC(year, month - 1, 1);
    const daysInMonth = (Date.UTC(year, month, 1) - first) / dayMs;
    const left = this.#maskOf(daysInMonth, new Date(first).getUTCDay()) & (-1 << earliest);
    if (left === 0) return undefined;
    const dayOfMonth = 31 - Math.clz32(left & -left);
    return first + (dayOfMonth - 1) * dayMs;
  }

  /** Bit `n` is set where day `n` of such a month matches. */
  #maskOf(daysInMonth: number, firstWeekday: number): number {
    const form = (daysInMonth - 28) * 7 + firstWeekday;
    const known = this.#masks[form];
    if (known !== undefined) return known;
    let mask = 0;
    for (let day = 1; day <= daysInMonth; day++) {
      if (this.#pattern.hasDay(day, daysInMonth, (firstWeekday + day - 1) % 7)) mask |= 1 << day;
    }
    this.#masks[form] = mask;
    return mask;
  }
}
