/**
 * `read` behind a cache: a value stays valid for `maxAgeMs` from the begin of its read, and only one read runs at a
 * time. Rejects when a read fails, or is not over after `patienceMs` (2 s when absent): it goes on, and later callers
 * wait for the same read. While a read is late, callers get the previous value, for at most five times `maxAgeMs`.
 */
export function cachedRead<T>(
  read: () => Promise<T>,
  maxAgeMs: number,
  patienceMs = 2_000,
): () => Promise<T> {
  let reading: Promise<T> | undefined;
  let goodUntil = 0;
  let isUnderWay = false;
  let earlier: { readonly value: T; readonly until: number } | undefined;

  const begin = (): Promise<T> => {
    goodUntil = performance.now() + maxAgeMs;
    isUnderWay = true;
    const begun = read();
    const until = goodUntil + 4 * maxAgeMs;
    begun
      .then((value) => {
        earlier = { value, until };
      })
      .catch(() => {
        // callers that wait get the error; the next one tries again
        goodUntil = 0;
      })
      .finally(() => {
        isUnderWay = false;
      });
    return begun;
  };

  return () => {
    if (reading === undefined || (!isUnderWay && performance.now() >= goodUntil)) reading = begin();
    const standIn = earlier !== undefined && performance.now() < earlier.until ? earlier : undefined;
    return inTime(reading, patienceMs, standIn);
  };
}

async function inTime<T>(
  work: Promise<T>,
  patienceMs: number,
  standIn: { readonly value: T } | undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => {
      if (standIn === undefined) reject(new Error(`not done within ${patienceMs} ms`));
      else resolve(standIn.value);
    }, patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
