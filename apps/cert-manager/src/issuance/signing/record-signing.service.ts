import { randomUUID } from 'node:crypto';
import type { InvalidInput } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type BatchEnd, batched, type Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { keyCompromised, listCompromisedKeys } from '../../certificates/compromised-keys.repository.js';
import { findRefusals } from '../../csrs/judge-issuance.service.js';
import { findNameRefusals } from '../../csrs/judge-names.service.js';
import { jobCallerOf } from '../jobs/job-audit.js';
import type { Order } from './find-orders.service.js';
import { insertSigningRequests, type SigningRequestRow } from './signing-requests.repository.js';

export interface RequestLogDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Milliseconds that a claim of an order lasts. */
  readonly leaseMs: number;
}

/** What a CA is about to be asked. */
export interface Asked {
  readonly caller: Caller;
  readonly order: Order;
  readonly idempotencyKey: string;
}

/** The row that records what a CA is about to be asked. */
export function signingRequestOf(
  {
    caller,
    order: { fqdn, csr, provider },
    idempotencyKey,
  }: Omit<Asked, 'order'> & { readonly order: Named },
  { now, leaseMs }: { readonly now: Date; readonly leaseMs: number },
): SigningRequestRow {
  // longer than a call may take: the CA of one that lives would be asked twice at once
  const leaseUntil = new Date(now.getTime() + 3 * leaseMs);
  return {
    id: randomUUID(),
    spaceId: fqdn.spaceId,
    fqdnId: fqdn.id,
    fqdn: fqdn.fqdn,
    csrId: csr.id,
    spkiSha256: csr.spkiSha256,
    providerId: provider.id,
    idempotencyKey,
    caller: jobCallerOf(caller),
    attempt: 0,
    leaseUntil,
    createdAt: now,
  };
}

type Named = Pick<Order, 'fqdn' | 'csr' | 'provider'>;

// as many as one statement inserts in a few milliseconds
const maxTogether = 32;

/**
 * A function that writes down what a CA is about to be asked, those that come at the same time in one transaction, and
 * returns the id of the row: a process that dies in the meantime leaves it to `recoverSigning`. Rejects with InvalidInput
 * where the policy of the space, as it is in this transaction, does not allow it, another space holds one of the names, or
 * the key is compromised; nothing is written then.
 */
export function createRequestLog({ db, clock, leaseMs }: RequestLogDeps): (asked: Asked) => Promise<string> {
  return batched(async (all: readonly Asked[]) => {
    const terms = { now: clock.now(), leaseMs };
    const rows = all.map((asked) => signingRequestOf(asked, terms));
    return db.transaction(async (tx) => {
      const byPolicy = await findRefusals(
        tx,
        all.map(({ order }) => order),
      );
      const byName = await findNameRefusals(
        tx,
        all.map(({ caller, order }) => ({ caller, ...order })),
      );
      const compromised = await listCompromisedKeys(
        tx,
        rows.map(({ spkiSha256 }) => spkiSha256),
      );
      const refusals = rows.map(
        ({ spkiSha256 }, index) =>
          byPolicy[index] ?? byName[index] ?? (compromised.has(spkiSha256) ? keyCompromised() : undefined),
      );
      const allowed = rows.filter((_, index) => refusals[index] === undefined);
      if (allowed.length > 0) await insertSigningRequests(tx, allowed);
      return rows.map(({ id }, index) => endOf(id, refusals[index]));
    });
  }, maxTogether);
}

function endOf(id: string, refusal: InvalidInput | undefined): BatchEnd<string> {
  return refusal === undefined ? { status: 'fulfilled', value: id } : { status: 'rejected', reason: refusal };
}
