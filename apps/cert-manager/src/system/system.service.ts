import { AppError, type Health, type Stats } from '@certloop/contracts';
import { packageVersion } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { readableSpaces } from '../access/permissions.js';
import { countCsrRows } from '../csrs/csrs.repository.js';
import type { DbDeps } from '../db-deps.js';
import { countFqdnRows } from '../fqdns/fqdns.repository.js';
import { countSpaceRows } from '../spaces/spaces.repository.js';
import type { MonitorContact } from '../watch/monitor/monitor-contact.store.js';
import { countDetails } from './stats.repository.js';

export interface SystemDeps extends DbDeps {
  /** Whether the service is stopping and takes no new work. */
  readonly isDraining: () => boolean;
  /** How the clocks differ, in a sentence; undefined while they agree. */
  readonly findClockFault: () => string | undefined;
  /** Whether the monitor answers this process; undefined without a monitor, and before the first call. */
  readonly readContact: () => MonitorContact | undefined;
}

const version = packageVersion(import.meta.url);

/** Whether the service works, always answered: `ok`, or `degraded` with the reason. */
export async function describeHealth({ db, clock, readContact }: SystemDeps): Promise<Health> {
  const fault = await db.findFault();
  const contact = readContact();
  const monitor = contact && { answers: contact.answers, since: contact.since.toISOString() };
  const common = { time: clock.now().toISOString(), version, ...(monitor !== undefined && { monitor }) };
  return fault === undefined
    ? { status: 'ok', message: 'the service works', ...common }
    : { status: 'degraded', message: fault, ...common };
}

/** That the process runs. */
export function describeLiveness({ clock }: SystemDeps): Health {
  return { status: 'ok', message: 'the process runs', time: clock.now().toISOString(), version };
}

/**
 * That requests are taken. Throws an unavailable refusal while the service stops, and while its database does
 * not answer, has migrations to run, or cannot be written.
 */
export async function describeReadiness({
  db,
  clock,
  isDraining,
  findClockFault,
}: SystemDeps): Promise<Health> {
  const fault = isDraining() ? 'the service is stopping' : await db.findFaultOrMigration();
  if (fault !== undefined) throw new AppError('unavailable', fault, { headers: { 'Retry-After': '5' } });
  const apart = findClockFault();
  const common = { time: clock.now().toISOString(), version, ...(apart !== undefined && { clock: apart }) };
  return { status: 'ok', message: 'requests are accepted', ...common };
}

/** Counts of the spaces that the caller may read, and of what they hold; certificates and renewals if wanted. */
export async function countContents(
  { db, clock }: SystemDeps,
  caller: Caller,
  { detail }: { readonly detail: boolean },
): Promise<Stats> {
  const scope = readableSpaces(caller);
  return db.longRead(async (tx) => ({
    spaces: await countSpaceRows(tx, scope),
    fqdns: await countFqdnRows(tx, scope),
    csrs: await countCsrRows(tx, scope),
    ...(detail && (await countDetails(tx, scope, clock.now()))),
  }));
}
