const usualMs = 5_000;
const idleMs = 15_000;
const hiddenMs = 60_000;
const maxFailingMs = 20_000;

/**
 * Milliseconds until a page asks its service again what has changed: 5 s, and a minute while the page is hidden. After
 * `failures` in a row the pause doubles up to 20 s, so that a service that starts is not flooded.
 */
export function pollMs({
  isHidden,
  failures,
}: {
  readonly isHidden: boolean;
  readonly failures: number;
}): number {
  if (isHidden) return hiddenMs;
  return Math.min(maxFailingMs, usualMs * 2 ** Math.max(0, failures - 1));
}

export interface LivePage {
  readonly isHidden: boolean;
  /** Milliseconds since a person used the page last. */
  readonly unusedMs: number;
  /** Milliseconds since the last response, if a request failed after it; otherwise undefined. */
  readonly failingMs: number | undefined;
}

/**
 * Milliseconds until a page loads again what it shows of one thing: 5 s within a minute of activity, otherwise 15 s, and
 * a minute while it is hidden. While requests fail, the pause is as long as they have failed, up to 20 s.
 */
export function liveMs({ isHidden, unusedMs, failingMs = 0 }: LivePage): number {
  if (isHidden) return hiddenMs;
  const atRest = unusedMs < 60_000 ? usualMs : idleMs;
  return Math.max(atRest, Math.min(maxFailingMs, failingMs));
}
