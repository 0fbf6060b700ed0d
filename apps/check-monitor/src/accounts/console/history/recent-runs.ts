import type { Micros } from '../../../instants.js';

/** Letter of what happened to a run: it succeeded, it failed, or it was missed. */
export type RunLetter = 'u' | 'f' | 'm';

/** How many runs `recentRuns` shows at most. */
export const maxRecentRuns = 48;

/**
 * Letters of the latest runs, oldest first. `pings` are successes and failures, `misses` the moments at which the check
 * went down as no ping came; both come newest first, in any number.
 */
export function recentRuns(
  pings: readonly { readonly at: Micros; readonly signal: string }[],
  misses: readonly Micros[],
): string {
  const runs: { readonly at: Micros; readonly letter: RunLetter }[] = [
    // the order of those of one instant stays
    ...pings.toReversed().map(({ at, signal }) => ({ at, letter: letterOf(signal) })),
    ...misses.toReversed().map((at) => ({ at, letter: 'm' as const })),
  ];
  return runs
    .sort((one, other) => one.at - other.at)
    .slice(-maxRecentRuns)
    .map(({ letter }) => letter)
    .join('');
}

function letterOf(signal: string): RunLetter {
  return signal === 'fail' ? 'f' : 'u';
}
