/** Work that may stop after each step, so that others get a turn; it ends with its result. */
export type Steps<T> = Generator<undefined, T>;

/** The result of work whose steps are taken at once. */
export function resultOf<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
  }
}
