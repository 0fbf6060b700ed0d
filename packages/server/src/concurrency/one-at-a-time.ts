/** Work that never runs twice at once. */
export interface OneAtATime<T> {
  /** Runs the work; calls while it runs share the one run that follows. */
  run(): Promise<T>;
  /** Resolves when nothing runs and nothing follows. */
  idle(): Promise<void>;
}

export function oneAtATime<T>(work: () => Promise<T>): OneAtATime<T> {
  let running: Promise<T> | undefined;
  let following: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    following = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    run: () => {
      if (running === undefined) return following ?? begin();
      following ??= running.then(begin, begin);
      return following;
    },
    idle: async () => {
      while (running !== undefined || following !== undefined) {
        await Promise.allSettled([following ?? running]);
      }
    },
  };
}
