/** Answers that wait until a test lets them go. */
export interface Gate {
  wait(): Promise<void>;
  release(): void;
}

export function createGate(): Gate {
  let waiting: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    release: () => {
      for (const go of waiting) go();
      waiting = [];
    },
  };
}

/** Lets tests wait until a count is reached; `note` is called after each change of the count. */
export interface Counted {
  note(): void;
  reached(count: number): Promise<void>;
}

export function createCounted(current: () => number): Counted {
  const looks = new Set<() => void>();
  return {
    note: () => {
      for (const look of looks) look();
    },
    reached: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (current() < count) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      }),
  };
}
