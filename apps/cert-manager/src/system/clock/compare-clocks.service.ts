import type { SteadyClock } from '@certloop/server';

/** Returns a function that compares the clocks once, and calls `onJump` after the time has jumped and is certain again. */
export function compareClocks(
  steady: Pick<SteadyClock, 'check' | 'read'>,
  onJump: () => Promise<void>,
): () => Promise<void> {
  let seen = steady.read().jumps;
  return async () => {
    await steady.check();
    const { isSettled, jumps } = steady.read();
    if (!isSettled || jumps === seen) return;
    seen = jumps;
    await onJump();
  };
}
