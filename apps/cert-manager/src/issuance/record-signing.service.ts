import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { gathered } from '../access/gathering.js';
import type { Order } from './find-orders.service.js';
import { jobCallerOf } from './job-audit.js';
import { insertSigningRequests } from './signing-requests.repository.js';

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
  readonly wish: string;
}

// as many as one statement inserts in a few milliseconds
const maxTogether = 32;

/**
 * A function that writes down what a CA is about to be asked, those that come at the same time in one transaction, and
 * returns the id of the row: a process that dies meanwhile leaves it to `recoverSigning`.
 */
export function createRequestLog({ db, clock, leaseMs }: RequestLogDeps): (asked: Asked) => Promise<string> {
  return gathered(async (all: readonly Asked[]) => {
    const now = clock.now();
    // longer than a call may take: the CA of one that lives would be asked twice at once
    const leaseUntil = new Date(now.getTime() + 3 * leaseMs);
    const rows = all.map(({ caller, order: { fqdn, csr, provider }, wish }) => ({
      ...{ id: randomUUID(), spaceId: fqdn.spaceId, fqdnId: fqdn.id, fqdn: fqdn.fqdn },
      ...{ csrId: csr.id, spkiSha256: csr.spkiSha256, providerId: provider.id, wish },
      ...{ caller: jobCallerOf(caller), attempt: 0, leaseUntil, createdAt: now },
    }));
    await db.transaction((tx) => insertSigningRequests(tx, rows));
    return rows.map(({ id }) => ({ status: 'fulfilled' as const, value: id }));
  }, maxTogether);
}
