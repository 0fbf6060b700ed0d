import { useEffect, useState } from 'react';

/** The moment now in milliseconds, anew every `everyMs`. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), everyMs);
  return now;
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
