import { AppError } from '@certloop/contracts';
import type { Session } from '../../connection/session.js';

const maxWaits = 60;
const defaultWaitSeconds = 10;

/** The result of a call; a response of 429 is waited out as it asks. */
export async function waitingOut<T>({ io, activity }: Session, call: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'too_many_requests' || waits >= maxWaits)
        throw error;
      const asked = Number(error.headers['Retry-After'] ?? defaultWaitSeconds);
      const seconds = Number.isFinite(asked) && asked > 0 ? asked : defaultWaitSeconds;
      await activity.during(
        () => `cert-manager asks to wait ${seconds} s`,
        () => io.pause(seconds * 1000),
      );
    }
  }
}
