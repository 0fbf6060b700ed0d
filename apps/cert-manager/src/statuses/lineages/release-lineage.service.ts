import { NotFound } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { lockFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import type { LineageEvents } from '../../front/lineages/lineage-events.service.js';
import { lockLineage, releaseOrder } from '../../front/lineages.repository.js';
import type { ShownLineage } from './lineage-view.js';
import { findShownLineage } from './list-lineages.service.js';

export interface ReleaseLineageDeps extends DbDeps {
  readonly emit: LineageEvents;
}

/**
 * Reports that the machine of an ACME client is gone: its next order is not expected until it sends one. Returns the
 * lineage as it is then. Throws NotFound and Forbidden.
 */
export async function releaseLineage(
  { db, clock, emit }: ReleaseLineageDeps,
  caller: Caller,
  { spaceId, fqdnId, lineage }: FqdnPlace & { readonly lineage: string },
): Promise<ShownLineage> {
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  return db.transaction(async (tx) => {
    const now = clock.now();
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const order = await lockLineage(tx, fqdnId, lineage);
    if (order === undefined) throw lineageNotFound();
    if (order.releasedAt === null) {
      await releaseOrder(tx, order.id, now);
      const { clientId, accountId, certificateId, identifiers, userAgent, ipAddress } = order;
      const names = identifiers.map(({ value }) => value);
      const details = {
        ...{ fqdn: fqdn.fqdn, fqdnId, lineage, accountId, certificateId },
        ...{ names, userAgent, ipAddress },
      };
      const act = {
        action: 'acme_client.release',
        resourceType: 'acme-client',
        resourceId: clientId,
      } as const;
      await recordAudit(tx, caller, { ...act, spaceId, details }, now);
      await emit.lineagesChanged(tx, { fqdns: [fqdn], cause: 'released' });
    }
    const shown = await findShownLineage(tx, fqdnId, lineage, now);
    if (shown === undefined) throw lineageNotFound();
    return shown;
  });
}

const lineageNotFound = () =>
  new NotFound('no ACME client has a certificate of this lineage for the FQDN', {
    code: 'lineage_not_found',
    title: 'Lineage not found',
  });
