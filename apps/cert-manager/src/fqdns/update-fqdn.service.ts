import { isDeepStrictEqual } from 'node:util';
import type { BodyOf, certManagerContract } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { lockSpacesForShare } from '../spaces/spaces.repository.js';
import { type FqdnTexts, updateFqdnTexts } from './fqdn-changes.repository.js';
import { namedProvider, requireFqdnAllowed } from './fqdn-provider.service.js';
import { type FqdnRow, lockFqdn } from './fqdns.repository.js';
import { type ChangeFqdnDeps, type FqdnPlace, fqdnAudit } from './fqdns.service.js';
import { labelsView, normalTags } from './labels.js';

/** Change of an FQDN; undefined members stay as they are, null removes the provider or the owner. */
export type FqdnChange = FqdnPlace & BodyOf<typeof certManagerContract.updateFqdn>;

/**
 * Changes description, provider, owner or tags of an FQDN and returns it as it is then. Throws NotFound, Forbidden, and
 * InvalidInput for an unknown provider, or one that the policy of the space does not allow.
 */
export async function updateFqdn(
  { db, clock, emit }: ChangeFqdnDeps,
  caller: Caller,
  { spaceId, fqdnId, ...input }: FqdnChange,
): Promise<FqdnRow> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return db.transaction(async (tx) => {
    // the space before its FQDNs, as everyone locks them
    if ((await lockSpacesForShare(tx, [spaceId])).length === 0) throw spaceNotFound();
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const after = textsAfter(fqdn, input);
    const before = textsAfter(fqdn, {});
    const { providerId } = before;
    const isOther = after.providerId !== providerId;
    if (isDeepStrictEqual(after, before)) return fqdn;
    if (isOther && after.providerId !== null) {
      await requireFqdnAllowed(tx, fqdn, await namedProvider(tx, after.providerId));
    }
    await updateFqdnTexts(tx, fqdnId, after);
    const details = { before: auditedTexts(before), after: auditedTexts(after) };
    await recordAudit(tx, caller, fqdnAudit('fqdn.update', fqdn, details), clock.now());
    const changed = { ...fqdn, ...after };
    if (isOther) await emit.providerChanged(tx, { caller, changes: [{ fqdn: changed }] });
    if (!isDeepStrictEqual({ ...after, providerId }, before)) {
      await emit.descriptionChanged(tx, { fqdn: changed });
    }
    return changed;
  });
}

function textsAfter(fqdn: FqdnRow, input: Omit<FqdnChange, keyof FqdnPlace>): FqdnTexts {
  return {
    description: input.description ?? fqdn.description,
    providerId: input.providerId === undefined ? fqdn.providerId : input.providerId,
    owner: input.owner === undefined ? fqdn.owner : input.owner,
    tags: input.tags === undefined ? fqdn.tags : normalTags(input.tags),
  };
}

function auditedTexts({ owner, tags, ...texts }: FqdnTexts) {
  return { ...texts, ...labelsView({ owner, tags }) };
}
