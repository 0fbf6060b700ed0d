import type { BadgeReport, CheckStatus } from '@certloop/contracts';

/** How many states a badge tells apart: up and down, or also late. */
export type BadgeStates = 2 | 3;

/**
 * Status of the checks together, with counts. One that is down decides; late ones count as up where the badge has
 * two states, though they are counted; new and paused ones count as up, and so does no check at all.
 */
export function reportOf(statuses: readonly CheckStatus[], states: BadgeStates): BadgeReport {
  const down = statuses.filter((status) => status === 'down').length;
  const grace = statuses.filter((status) => status === 'grace').length;
  const total = statuses.length;
  if (down > 0) return { status: 'down', total, grace, down };
  return { status: grace > 0 && states === 3 ? 'late' : 'up', total, grace, down };
}
