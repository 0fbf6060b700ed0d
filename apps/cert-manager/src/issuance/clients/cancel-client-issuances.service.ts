import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { type ClientScope, endUnsent, lockUnsent } from './client-issuances.repository.js';

/**
 * Ends issuances of ACME clients whose CSR was not sent, because their client, account or order has ended; returns the ids of
 * their orders. Those whose CSR was sent go on: their certificates are stored. No event follows.
 */
export async function cancelClientIssuances(
  tx: Tx,
  scope: ClientScope,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<string[]> {
  const unsent = await lockUnsent(tx, scope);
  await endUnsent(tx, unsent, reason, now);
  return unsent.flatMap(({ orderId }) => orderId ?? []);
}

/** Ends the issuances of a deleted client whose CSR was not sent: no CA is asked for it any more. */
export async function cancelOfDeletedClient(
  tx: Tx,
  { client }: { readonly client: { readonly id: string } },
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const reason = 'the ACME client was deleted';
  await cancelClientIssuances(tx, { clientId: client.id }, { reason, now: clock.now() });
}
