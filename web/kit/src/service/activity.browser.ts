import { useCallback, useEffect, useRef, useState } from 'react';
import { liveMs } from './poll-rhythm.js';

let lastActivity = 0;
let openedAt = 0;

/** Notes when a person used the page last. To be called once. */
export function followActivity(): void {
  const note = () => {
    lastActivity = Date.now();
  };
  note();
  openedAt = lastActivity;
  for (const kind of ['pointerdown', 'keydown', 'focus']) addEventListener(kind, note, { passive: true });
}

/** When a query was loaded and when it failed last, in milliseconds since 1970; 0 for never. */
export interface QueryTimes {
  readonly state: { readonly dataUpdatedAt: number; readonly errorUpdatedAt: number };
}

/** Options of a query whose data is loaded again and again (`liveMs`), at most every `minMs` milliseconds. */
export function live(minMs = 0) {
  return {
    refetchInterval: ({ state: { dataUpdatedAt, errorUpdatedAt } }: QueryTimes) => {
      const failingMs = errorUpdatedAt - Math.max(dataUpdatedAt, openedAt);
      const page = { isHidden: document.hidden, unusedMs: Date.now() - lastActivity };
      return Math.max(minMs, liveMs({ ...page, failingMs: failingMs > 0 ? failingMs : undefined }));
    },
    refetchIntervalInBackground: true,
    // the next round is the next attempt
    retry: false,
  };
}

/** The value once it has not changed for `ms`. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** A state that changes at most every `ms`: at once after a pause, and to the last value in the end. */
export function useCalm<Value>(first: Value, ms = 200): [Value, (value: Value) => void] {
  const [value, setValue] = useState(first);
  const last = useRef({ at: Number.NEGATIVE_INFINITY, timer: 0 });
  useEffect(() => () => clearTimeout(last.current.timer), []);
  const change = useCallback(
    (next: Value) => {
      const { current } = last;
      clearTimeout(current.timer);
      const set = () => {
        current.at = performance.now();
        setValue(next);
      };
      const waitMs = current.at + ms - performance.now();
      if (waitMs <= 0) set();
      else current.timer = window.setTimeout(set, waitMs);
    },
    [ms],
  );
  return [value, change];
}
