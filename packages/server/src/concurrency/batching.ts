/** How the work on one of several things that were worked on together ended. */
export type BatchEnd<T> = PromiseSettledResult<T>;

/** How long the first of several waits for the others. */
export interface BatchPatience {
  /** At most, in milliseconds. */
  readonly ms: number;
  /** How many there will be, by how many have come; asked again whenever one more has come. */
  readonly expected: (come: number) => number;
}

/**
 * A function that does for one what `workOn` does for many: whatever it is called with in one turn of the event loop,
 * or while the work before is under way, is worked on together, at most `maxBatch` at once. With `patience` the work waits
 * for those that are expected as well. `workOn` returns the ends in the order of the things; when it rejects, all of
 * them do.
 */
export function batched<Thing, T>(
  workOn: (things: readonly Thing[]) => Promise<readonly BatchEnd<T>[]>,
  maxBatch: number,
  patience: BatchPatience = { ms: 0, expected: () => 0 },
): (thing: Thing) => Promise<T> {
  const waiting: { readonly thing: Thing; readonly settle: (end: BatchEnd<T>) => void }[] = [];
  let isAtWork = false;
  let onCome = (): void => undefined;
  const areAllThere = () => waiting.length >= Math.min(maxBatch, patience.expected(waiting.length));
  const othersCame = () =>
    new Promise<void>((resolve) => {
      if (areAllThere()) return resolve();
      const timer = setTimeout(resolve, patience.ms);
      onCome = () => {
        if (!areAllThere()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  const workOff = async () => {
    while (waiting.length > 0) {
      await othersCame();
      const taken = waiting.splice(0, maxBatch);
      const ends = await workOn(taken.map(({ thing }) => thing)).catch((reason: unknown) =>
        taken.map((): BatchEnd<T> => ({ status: 'rejected', reason })),
      );
      for (const [index, { settle }] of taken.entries()) {
        settle(ends[index] ?? { status: 'rejected', reason: new Error('the work on it came to no end') });
      }
    }
    isAtWork = false;
  };
  return (thing) =>
    new Promise((resolve, reject) => {
      const settle = (end: BatchEnd<T>) =>
        end.status === 'fulfilled' ? resolve(end.value) : reject(end.reason);
      waiting.push({ thing, settle });
      onCome();
      if (isAtWork) return;
      isAtWork = true;
      // what else came from the network in this turn comes along
      setImmediate(() => void workOff());
    });
}
