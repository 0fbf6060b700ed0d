import type { BodyOf, certManagerContract } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { type RenewalSwitch, updateRenewalSwitch } from './fqdn-changes.repository.js';
import { type FqdnRow, lockFqdn } from './fqdns.repository.js';
import { type ChangeFqdnDeps, type FqdnPlace, fqdnAudit } from './fqdns.service.js';

/** Whether to renew automatically; the share of the lifetime, 0.1 to 0.9, stays as it is when undefined. */
export type NewRenewalSwitch = FqdnPlace & BodyOf<typeof certManagerContract.setRenewalEnabled>;

/** Switches automatic renewal of an FQDN. Throws NotFound and Forbidden. */
export async function setRenewalEnabled(
  { db, clock, emit }: ChangeFqdnDeps,
  caller: Caller,
  { spaceId, fqdnId, renewalEnabled, renewAfterFraction }: NewRenewalSwitch,
): Promise<void> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  await db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const change = {
      renewalEnabled,
      renewAfterPermille: permilleOf(renewAfterFraction, fqdn),
      // switching renewal on ends the acceptance of its expiry
      expiryAcceptedUntil: renewalEnabled ? null : fqdn.expiryAcceptedUntil,
    };
    await updateRenewalSwitch(tx, fqdn, change);
    const details = { before: switchOf(fqdn), after: switchOf(change) };
    await recordAudit(tx, caller, fqdnAudit('fqdn.renewal', fqdn, details), clock.now());
    const switched = { fqdn: { ...fqdn, ...change }, wasEnabled: fqdn.renewalEnabled };
    await emit.renewalSwitched(tx, { caller, changes: [switched] });
  });
}

function permilleOf(fraction: number | null | undefined, { renewAfterPermille }: FqdnRow) {
  if (fraction === undefined) return renewAfterPermille;
  return fraction === null ? null : Math.round(fraction * 1000);
}

/** Returns the facts of the renewal of an FQDN for the audit log. */
export function switchOf({ renewalEnabled, renewAfterPermille, expiryAcceptedUntil }: RenewalSwitch) {
  return {
    renewalEnabled,
    ...(renewAfterPermille !== null && { renewAfterFraction: renewAfterPermille / 1000 }),
    ...(expiryAcceptedUntil !== null && { expiryAcceptedUntil: expiryAcceptedUntil.toISOString() }),
  };
}
