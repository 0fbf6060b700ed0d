/** What `work` makes of each thing, in the things' order; at most `width` are worked on at once. Rejects with the first fault. */
export async function mapInTurns<T, R>(
  things: readonly T[],
  width: number,
  work: (thing: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(things.length);
  const queue = things.entries();
  const worker = async () => {
    for (const [index, thing] of queue) results[index] = await work(thing);
  };
  await Promise.all(Array.from({ length: Math.min(width, things.length) }, worker));
  return results;
}
