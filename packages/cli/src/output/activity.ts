import type { Io } from '../io.js';
import { fitToWidth, plainText } from './table.js';

/** Shows what a command waits for: one line of a terminal that changes each second, on standard error. */
export interface Activity {
  /** Does the work. If it is the outermost one and lasts over a second, `doing` is shown with the seconds so far. */
  during<T>(doing: () => string, work: () => Promise<T>): Promise<T>;
  /** Shows nothing from now on, as while another command writes to the terminal. */
  mute(): void;
}

export const noActivity: Activity = { during: (_doing, work) => work(), mute: () => undefined };

/** Nothing is shown where standard error is not a terminal. */
export function createActivity({ err, everySecond }: Pick<Io, 'err' | 'everySecond'>): Activity {
  if (err.isTTY !== true) return noActivity;
  const running = new Map<symbol, { readonly doing: () => string; seconds: number }>();
  let stop: () => void = () => undefined;
  let isShown = false;
  let isMuted = false;
  const clear = () => {
    if (isShown) err.write('\r\u001b[K');
    isShown = false;
  };
  const tick = () => {
    for (const each of running.values()) each.seconds += 1;
    const [first] = running.values();
    if (first === undefined || isMuted) return;
    const line = `${plainText(first.doing())}, ${first.seconds} s`;
    err.write(`\r\u001b[K${fitToWidth(line, (err.columns ?? 80) - 1)}`);
    isShown = true;
  };
  return {
    during: async (doing, work) => {
      const id = Symbol('work');
      if (running.size === 0) stop = everySecond(tick);
      running.set(id, { doing, seconds: 0 });
      try {
        return await work();
      } finally {
        running.delete(id);
        if (running.size === 0) {
          stop();
          clear();
        }
      }
    },
    mute: () => {
      isMuted = true;
      clear();
    },
  };
}
