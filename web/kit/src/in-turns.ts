/** Results of `work` for each item, in the order of the items; at most `atOnce` are worked on at the same time. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()].reverse();
  const workOn = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [place, item] = next;
      results[place] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
  return results;
}
