import { AppError, type ErrorKind } from '@certloop/contracts';
import type { Io } from '../io.js';

// the last attempt begins about 40 s after the first
const pausesMs = [1_000, 3_000, 9_000, 27_000];
const maxPauseMs = 60_000;

const temporaryKinds: readonly ErrorKind[] = [
  'request_timeout',
  'too_many_requests',
  'upstream_failed',
  'upstream_timeout',
];

/** Whether an attempt later may succeed: after a response of 429 or 5xx, or none. */
export function isTemporary(error: unknown): error is AppError {
  return error instanceof AppError && temporaryKinds.includes(error.kind);
}

export interface Repeats {
  /** Ends the pauses; a running attempt is awaited. */
  readonly stop?: AbortSignal;
  /** Is called after each attempt that failed, with the pause before the next one in milliseconds. */
  readonly failed?: (error: Error, pauseMs: number) => void;
}

/**
 * The result of the first successful attempt, of at most five with growing pauses. Only temporary failures are
 * retried: a response of 429 or 5xx, or no response. Rejects with the error of the last attempt.
 */
export async function repeat<T>(
  io: Io,
  attempt: () => Promise<T>,
  { stop, failed }: Repeats = {},
): Promise<T> {
  const isStopped = () => stop?.aborted === true;
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTemporary(error) || isStopped()) throw error;
      const wait = pauseBefore(pauseMs, error);
      failed?.(error, wait);
      await io.pause(wait, stop);
      if (isStopped()) throw error;
    }
  }
  return attempt();
}

/** Milliseconds, a quarter more or less so that jobs of the same minute do not return together; Retry-After is obeyed. */
function pauseBefore(pauseMs: number, { headers }: AppError): number {
  const spread = pauseMs * (0.75 + Math.random() / 2);
  const asked = Number(headers['Retry-After'] ?? 0) * 1_000;
  return Math.min(Math.max(spread, Number.isFinite(asked) ? asked : 0), maxPauseMs);
}
