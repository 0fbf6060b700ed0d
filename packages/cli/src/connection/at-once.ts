/**
 * The results of the work on all items, in their order, with at most so many under way at a time. Rejects with the first
 * error, after which no work is begun.
 */
export async function mapAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let isFailed = false;
  const workThrough = async () => {
    for (const [index, item] of left) {
      if (isFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
  return results;
}
