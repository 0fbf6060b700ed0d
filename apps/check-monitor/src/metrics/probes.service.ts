import { AppError, type Probe } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { packageVersion } from '@certloop/server';

export interface ProbesDeps {
  readonly db: Database;
  /** Whether the service is stopping and takes no new work. */
  readonly isDraining: () => boolean;
  /** How the clocks differ, in a sentence; undefined while they agree. */
  readonly findClockFault?: (() => string | undefined) | undefined;
}

const version = packageVersion(import.meta.url);

/** That the process runs. */
export function describeLiveness(): Probe {
  return { status: 'ok', message: 'the process runs', version };
}

/**
 * That requests are taken. Throws an unavailable refusal while the service stops, and while its database is away, has
 * migrations to run, or cannot be written.
 */
export async function describeReadiness({ db, isDraining, findClockFault }: ProbesDeps): Promise<Probe> {
  const fault = isDraining() ? 'the service is stopping' : await db.findFaultOrMigration();
  if (fault !== undefined) throw new AppError('unavailable', fault, { headers: { 'Retry-After': '5' } });
  const clock = findClockFault?.();
  return {
    status: 'ok',
    message: 'requests are accepted',
    version,
    ...(clock !== undefined && { clock }),
  };
}
