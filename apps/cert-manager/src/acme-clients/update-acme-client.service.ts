import type { BodyOf, certManagerContract } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import type { AcmeClientRow } from './acme-client.js';
import { lockClientOfSpace, updateAcmeClientRow } from './acme-clients.repository.js';
import type { AcmeClientEvents, ClientPlace } from './acme-clients.service.js';
import { clientAudit, settingsForAudit } from './client-audit.js';
import { requireClientProvider } from './client-provider.service.js';
import { requireAllowedNames } from './client-rules.service.js';
import { settingsOf } from './client-settings.js';

/**
 * Changes a client; what is undefined stays. Orders are judged by the change from now on, also those that are
 * open. Throws as createClientWithKey does.
 */
export async function updateAcmeClient(
  { db, clock, emit }: DbDeps & { readonly emit: AcmeClientEvents },
  caller: Caller,
  input: ClientPlace & BodyOf<typeof certManagerContract.updateAcmeClient>,
): Promise<AcmeClientRow> {
  const { spaceId, id, name, ...sent } = input;
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  return db.transaction(async (tx) => {
    const before = await lockClientOfSpace(tx, spaceId, id);
    const now = clock.now();
    const change = { ...settingsOf(sent, before, now), name: name ?? before.name };
    if (sent.names !== undefined) await requireAllowedNames(tx, spaceId, change.names, before.names);
    if (sent.providerId !== undefined) {
      await requireClientProvider(tx, change.providerId, await findRules(tx, spaceId));
    }
    const after = { ...before, ...change, changedAt: now };
    await updateAcmeClientRow(tx, id, { ...change, changedAt: now });
    await emit.acmeClientChanged(tx, { client: after });
    const details = { before: settingsForAudit(before), after: settingsForAudit(after) };
    await recordAudit(tx, caller, clientAudit('acme_client.change', before, details), now);
    return after;
  });
}
