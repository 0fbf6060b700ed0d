/**
 * `read` behind a memory: what it gave stays good for `keepMs` from the begin of the reading, and while one is
 * under way nobody begins another. Rejects when a reading fails, or is not over after `patienceMs` (2 s when
 * absent): it goes on, and whoever asks meanwhile waits for the same one.
 */
export function readSeldom<T>(read: () => Promise<T>, keepMs: number, patienceMs = 2_000): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let goodUntil = 0;
  let isUnderWay = false;

  const begin = (): Promise<T> => {
    goodUntil = performance.now() + keepMs;
    isUnderWay = true;
    const begun = read();
    begun
      .catch(() => {
        // who waits is told; the next one tries again
        goodUntil = 0;
      })
      .finally(() => {
        isUnderWay = false;
      });
    return begun;
  };

  return () => {
    if (reading === undefined || (!isUnderWay && performance.now() >= goodUntil)) reading = begin();
    return inTime(reading, patienceMs);
  };
}

async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
