import type { BadgeReport, CheckStatus } from '@certloop/contracts';

/** How many states a badge shows: up and down, or also late. */
export type BadgeStates = 2 | 3;

/** Checks together: all of them, those in grace, and those that are down. */
export type StatusCounts = Omit<BadgeReport, 'status'>;

/** Counts of no check. */
export const noChecks: StatusCounts = { total: 0, grace: 0, down: 0 };

/** The counts with `by` more checks of a status. */
export function countStatus(
  { total, grace, down }: StatusCounts,
  status: CheckStatus,
  by: 1 | -1,
): StatusCounts {
  return {
    total: total + by,
    grace: status === 'grace' ? grace + by : grace,
    down: status === 'down' ? down + by : down,
  };
}

/**
 * Status of the checks together, with counts. One that is down decides; late ones count as up where the badge has
 * two states, though they are counted; new and paused ones count as up, and so does no check at all.
 */
export function reportOf(counts: StatusCounts, states: BadgeStates): BadgeReport {
  const { total, grace, down } = counts;
  if (down > 0) return { status: 'down', total, grace, down };
  return { status: grace > 0 && states === 3 ? 'late' : 'up', total, grace, down };
}
