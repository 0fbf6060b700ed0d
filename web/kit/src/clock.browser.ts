import { useEffect, useState } from 'react';

/** The moment now in milliseconds, again every `everyMs`. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => onTick(everyMs, setNow), [everyMs]);
  return now;
}

/** One timer for each interval: rows of a long list have three of them each, and to start and stop them takes time. */
const timers = new Map<number, Set<(now: number) => void>>();

/** Calls the listener every `everyMs` until the returned function is called. */
function onTick(everyMs: number, listener: (now: number) => void): () => void {
  const listeners = timers.get(everyMs) ?? startTimer(everyMs);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Runs until it has no listeners at a tick. */
function startTimer(everyMs: number): Set<(now: number) => void> {
  const listeners = new Set<(now: number) => void>();
  timers.set(everyMs, listeners);
  const timer = setInterval(() => {
    if (listeners.size === 0) {
      clearInterval(timer);
      timers.delete(everyMs);
    }
    const now = Date.now();
    for (const listener of [...listeners]) listener(now);
  }, everyMs);
  return listeners;
}

/** Calls the newest `action` every `everyMs`, as long as the component is there. */
export function useInterval(action: () => void, everyMs: number): void {
  const [newest] = useState(() => ({ action }));
  newest.action = action;
  useEffect(() => {
    const timer = setInterval(() => newest.action(), everyMs);
    return () => clearInterval(timer);
  }, [newest, everyMs]);
}

/** Seconds left of `seconds`, counted down each second from when `key` changed. */
export function useCountdown(seconds: number | undefined, key: unknown): number {
  const [end, setEnd] = useState(0);
  const now = useNow(1_000);
  useEffect(() => setEnd(seconds === undefined ? 0 : Date.now() + seconds * 1_000), [seconds, key]);
  return Math.max(0, Math.ceil((end - now) / 1_000));
}

/** Resolves after so many milliseconds. */
export function pauseFor(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
