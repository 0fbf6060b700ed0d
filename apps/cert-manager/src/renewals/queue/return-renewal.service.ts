import type { Tx } from '@certloop/db';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { changeOf } from '../renewal-entry.js';
import { type RenewalRow, updateRenewal } from '../renewals.repository.js';
import { replanRenewals, unplanAll } from '../replan-renewals.service.js';
import { callerFor, type SettleDeps } from './settle-renewal.service.js';

/**
 * Makes a claimed entry pending again, without counting a try, because another request for its FQDN was faster. Changes that
 * do not touch a claimed entry are made up for: a newer certificate, and the end of automatic renewal.
 */
export async function returnRenewal(deps: SettleDeps, entry: RenewalRow): Promise<void> {
  const { id: entryId, attempt, fqdnId } = entry;
  const isReturned = await deps.db.transaction(async (tx) => {
    const [fqdn] = await lockFqdns(tx, [fqdnId]);
    const change = changeOf(entry, { kind: 'leave', attempt });
    if (fqdn === undefined || !(await updateRenewal(tx, entry, { ...change }))) return false;
    if (!entry.isTest) await planAgain(tx, deps, entry, fqdn);
    await deps.emit.renewalPlanned(tx, { fqdn });
    return true;
  });
  if (isReturned) deps.logger.info({ entryId, fqdnId, attempt }, 'renewal.overtaken');
}

async function planAgain(tx: Tx, { clock }: SettleDeps, entry: RenewalRow, fqdn: FqdnRow): Promise<void> {
  const caller = callerFor(entry);
  if (!fqdn.renewalEnabled) return unplanAll(tx, caller, [fqdn], clock.now());
  const certificate = await findNewestCertificate(tx, fqdn.id);
  if (certificate === undefined || certificate.id === entry.certificateId) return;
  await replanRenewals(tx, { changes: [{ caller, fqdn, certificate }] }, { clock });
}
