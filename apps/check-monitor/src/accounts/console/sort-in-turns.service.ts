import { setImmediate as nextTurn } from 'node:timers/promises';

// some milliseconds of work
const itemsAtOnce = 4_000;

/** Sorts very many items as `toSorted` does; others have turns in the meantime. */
export async function sortInTurns<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await nextTurn();
    runs.push(items.slice(start, start + itemsAtOnce).sort(compare));
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<readonly Item[]> {
  if (other.length === 0) return one;
  const merged: Item[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const [first, second] = [one[left] as Item, other[right] as Item];
    if (compare(first, second) <= 0) {
      merged.push(first);
      left += 1;
    } else {
      merged.push(second);
      right += 1;
    }
    if (merged.length % itemsAtOnce === 0) await nextTurn();
  }
  return merged.concat(one.slice(left), other.slice(right));
}
