/** Expectation of the monitor of a job, in its units: seconds. */
export interface Expectation {
  readonly timeout: number;
  readonly grace: number;
}

// The check API document, Limits.
const minTimeoutSeconds = 60;
const maxTimeoutSeconds = 31_536_000;

/**
 * How long the monitor waits for a job that runs every `periodSeconds`: half a period more than one, as a run
 * takes its time and the next begins a period after its end, and one period of grace.
 */
export function expectationOf(periodSeconds: number): Expectation {
  return { timeout: bounded(Math.ceil(periodSeconds * 1.5)), grace: bounded(periodSeconds) };
}

function bounded(seconds: number): number {
  return Math.min(maxTimeoutSeconds, Math.max(minTimeoutSeconds, seconds));
}
