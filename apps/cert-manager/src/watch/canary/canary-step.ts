const minute = 60_000;

/** Facts of a round of the canary. */
export interface CanaryRound {
  /** When the monitor took the ping after which the check is to fall; null between two rounds. */
  readonly pingedAt: Date | null;
}

/** Next step: a ping, or reading whether the check has fallen. */
export type CanaryStep = 'ping' | 'read';

/** How long after the ping the fall is read: timeout and grace are a minute each, and the alert loop has its tick. */
export const readAfterMs = 10 * minute;
/** How far back the monitor's list of changes is read; less than the time between two rounds. */
export const readBackMs = 15 * minute;
const roundMs = 60 * minute;
// a later one would miss the fall of its own round
const latestReadMs = 13 * minute;

/** A round that is read too late, as after a time in which no process ran, is followed by another one. */
export function canaryStepOf({ pingedAt }: CanaryRound, now: Date): CanaryStep {
  if (pingedAt === null) return 'ping';
  const passedMs = now.getTime() - pingedAt.getTime();
  return passedMs < 0 || passedMs > latestReadMs ? 'ping' : 'read';
}

/** When the fall after this ping is read. */
export function readAt(pingedAt: Date): Date {
  return new Date(pingedAt.getTime() + readAfterMs);
}

/** When the round after the one with this ping begins. */
export function nextRoundAt(pingedAt: Date): Date {
  return new Date(pingedAt.getTime() + roundMs);
}

/** When a step that the monitor did not do is tried again. */
export function canaryRetryAt(now: Date): Date {
  return new Date(now.getTime() + minute);
}

/** Whether no process has taken a step that was due at that moment. */
export function isCanaryOverdue(dueAt: Date, now: Date): boolean {
  return now.getTime() - dueAt.getTime() > readAfterMs;
}
