const usualMs = 5_000;
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
