import { NotFound } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { hasEnded } from './session-life.js';
import { deleteSession, findSession, listSessionsOf, type SessionRow } from './sessions.repository.js';

/** The open sessions of the caller's account, the newest first. */
export async function listOwnSessions({ db, clock }: DbDeps, { userId }: Caller): Promise<SessionRow[]> {
  const rows = await db.read((tx) => listSessionsOf(tx, userId));
  return rows.filter((row) => !hasEnded(row, clock.now()));
}

/** Ends a session of the caller's account, which may be the one of the request. Throws NotFound. */
export async function endOwnSession({ db, clock }: DbDeps, caller: Caller, id: string): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    const session = await findSession(tx, id);
    if (session?.userId !== caller.userId || hasEnded(session, now)) throw sessionNotFound();
    await deleteSession(tx, id);
    const entry = { action: 'auth.logout', resourceType: 'session', resourceId: id } as const;
    await recordAudit(tx, caller, entry, now);
  });
}

function sessionNotFound(): NotFound {
  return new NotFound('session not found', { code: 'session_not_found', title: 'Session not found' });
}
