import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Yields the items of a loop over transactions, or the numbers of its rounds without an end, and gives the event loop a
 * turn after each. SQLite answers at once, so that such a loop would let no request in until it ends.
 */
export function yieldBetween(): AsyncGenerator<number>;
export function yieldBetween<Item>(items: Iterable<Item>): AsyncGenerator<Item>;
export async function* yieldBetween(items: Iterable<unknown> = rounds()): AsyncGenerator<unknown> {
  for (const item of items) {
    yield item;
    await nextTurn();
  }
}

function* rounds(): Generator<number> {
  for (let round = 0; ; round += 1) yield round;
}

/** The items in slices of at most `size`, for a transaction each. */
export function* slicesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
