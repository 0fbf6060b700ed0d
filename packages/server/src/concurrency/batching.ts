import { setImmediate as nextTurn } from 'node:timers/promises';

/** How the work on one of several things that were worked on together ended. */
export type BatchEnd<T> = PromiseSettledResult<T>;

/**
 * A function that does for one what `workOn` does for many: whatever it is called with in turns of the event loop of which
 * each brings more, or while the work before is under way, is worked on together, at most `maxBatch` at once.
 * `workOn` returns the ends in the order of the things; when it rejects, all of them do.
 */
export function batched<Thing, T>(
  workOn: (things: readonly Thing[]) => Promise<readonly BatchEnd<T>[]>,
  maxBatch: number,
): (thing: Thing) => Promise<T> {
  const waiting: { readonly thing: Thing; readonly settle: (end: BatchEnd<T>) => void }[] = [];
  let isAtWork = false;
  const workOff = async () => {
    while (waiting.length > 0) {
      // what else came from the network while the work before ended comes along, as long as each turn brings more
      for (let known = 0; known < waiting.length && known < maxBatch; ) {
        known = waiting.length;
        await nextTurn();
      }
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
      if (isAtWork) return;
      isAtWork = true;
      void workOff();
    });
}
