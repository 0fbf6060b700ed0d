import { type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { directIssuance } from './begin-signing.service.js';
import { insertUnknown } from './issuances.repository.js';
import { claimLapsedRequests, deleteSigningRequests } from './signing-requests.repository.js';

// as many as one transaction moves in a few milliseconds
const maxTogether = 100;

/**
 * Makes issuances of the requests that an earlier version recorded in the former table, if their process counts as dead:
 * those of renewals and of csr/sign. Each has the id and the idempotency key that it had.
 */
export async function adoptFormerRequests({ db, clock }: FormerDeps): Promise<void> {
  for await (const _round of yieldBetween()) {
    const count = await db.transaction((tx) => adopt(tx, clock.now()));
    if (count < maxTogether) return;
  }
}

interface FormerDeps {
  readonly db: Database;
  readonly clock: Clock;
}

async function adopt(tx: Tx, now: Date): Promise<number> {
  const due = await claimLapsedRequests(tx, now, maxTogether);
  const rows = due.map(({ leaseUntil: _, ...request }) => ({
    ...directIssuance,
    ...request,
    cause: request.caller.kind === 'scheduler' ? ('renewal' as const) : ('sign' as const),
    state: 'unknown' as const,
    attempt: request.attempt + 1,
    nextAt: now,
  }));
  await insertUnknown(tx, rows);
  await deleteSigningRequests(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.length;
}
