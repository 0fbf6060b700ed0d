import { acmeProblemDocument } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { AcmeClientRow } from '../acme-clients/acme-client.js';
import { permitNames } from '../acme-clients/client-names.js';
import type { DbDeps } from '../db-deps.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import { cancelClientIssuances } from '../issuance/clients/cancel-client-issuances.service.js';
import type { LineageEvents } from './lineages/lineage-events.service.js';
import { listProcessedOrders } from './orders/found-orders.repository.js';
import { failOrdersOf } from './orders/order-changes.repository.js';
import type { ServerOrderRow } from './orders/server-orders.repository.js';
import { refusedIdentifiers } from './rules/refused-identifiers.js';

// no order is open for longer: a day until it is finalized, and less than that until its issuance has ended
const maxOpenMs = 7 * 86_400_000;

const reason = 'the ACME client may not have these names any more';

/**
 * Ends the orders of a changed client that are being processed and whose names it may not have any more, with their
 * issuances. If the CA has the CSR already, the certificate is stored. Orders that are ready are judged when they are
 * finalized, so that the client reads why.
 */
export async function endForbiddenOrders(
  tx: Tx,
  { client }: { readonly client: Pick<AcmeClientRow, 'id' | 'spaceId' | 'names'> },
  { clock, emit }: Pick<DbDeps, 'clock'> & { readonly emit: LineageEvents },
): Promise<void> {
  const now = clock.now();
  const open = await listProcessedOrders(tx, client.id, new Date(now.getTime() - maxOpenMs));
  if (open.length === 0) return;
  const rules = await findRules(tx, client.spaceId);
  const failed: ServerOrderRow[] = [];
  for (const order of open) {
    const refused = permitNames(client, rules, order.identifiers);
    if (refused.length === 0 || order.issuanceId === null) continue;
    const problem = acmeProblemDocument(refusedIdentifiers(refused));
    const scope = { orderId: order.id, clientId: client.id };
    const cancelled = await cancelClientIssuances(tx, scope, { reason, now });
    // also those that wait for the same issuance, as they are for the same names
    if (cancelled.length > 0) failed.push(...(await failOrdersOf(tx, order.issuanceId, problem, now)));
  }
  const places = new Map(failed.map(({ fqdnId: id, spaceId }) => [id, { id, spaceId }]));
  if (places.size > 0) await emit.lineagesChanged(tx, { fqdns: [...places.values()], cause: 'failed' });
}
