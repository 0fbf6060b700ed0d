import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { usableUntil } from '../../certificates/in-use.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, listRenewedFqdnsAfter, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { mayHaveCertificate } from '../../issuance/signing/issuance-state.js';
import { readOutlook } from '../outlook/read-outlook.service.js';
import { scheduleOf } from '../outlook/renewal-outlook.js';
import { deleteOldRenewals } from '../renewal-history.repository.js';
import { findOpenRenewal, findTry, listFqdnsWithOpen, updateRenewal } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { dueAfterWrongClock, waitsTooLong } from './planned-bounds.js';
import type { RenewalEvents } from './settle-renewal.service.js';
import { listWaitingEntries } from './waiting-entries.repository.js';

export interface SweepDeps extends DbDeps {
  readonly logger: Logger;
  readonly emit: RenewalEvents;
}

const retentionDays = 90;
const slice = 500;

/**
 * Plans renewals that are missing, for example after an upgrade, pulls back those that a wrong clock planned too late,
 * and deletes final entries older than 90 days. Works in slices, so that other transactions do not wait for long.
 */
export async function sweepRenewals(deps: SweepDeps): Promise<void> {
  const { planned, pulledBack } = await correctPlans(deps);
  const deleted = await deleteOld(deps);
  if (planned + deleted > 0) deps.logger.info({ planned, deleted }, 'renewals.swept');
  if (pulledBack > 0) deps.logger.warn({ count: pulledBack }, 'renewals.pulled_back');
}

interface Corrected {
  /** Renewals that were missing. */
  readonly planned: number;
  /** Renewals that would have waited too long. */
  readonly pulledBack: number;
}

async function correctPlans({ db, clock, emit }: SweepDeps): Promise<Corrected> {
  let planned = 0;
  let pulledBack = 0;
  let last = '';
  for await (const _round of yieldBetween()) {
    const { fqdns, lacking, late } = await db.read((tx) => readSlice(tx, last, clock.now()));
    for await (const fqdn of yieldBetween(lacking)) {
      if (await db.transaction((tx) => planIfMissing(tx, fqdn, emit, clock.now()))) planned += 1;
    }
    for await (const fqdn of yieldBetween(late)) {
      const isPulledBack = await db.transaction(async (tx) => {
        const isChanged = await pullBackRenewal(tx, fqdn, clock.now());
        if (isChanged) await emit.renewalPlanned(tx, { fqdn });
        return isChanged;
      });
      if (isPulledBack) pulledBack += 1;
    }
    if (fqdns.length < slice) break;
    last = fqdns.at(-1)?.id ?? '';
  }
  return { planned, pulledBack };
}

async function readSlice(tx: Tx, last: string, now: Date) {
  const fqdns = await listRenewedFqdnsAfter(tx, last, slice);
  const open = new Set(
    await listFqdnsWithOpen(
      tx,
      fqdns.map(({ id }) => id),
    ),
  );
  const lacking = fqdns.filter(({ id }) => !open.has(id));
  return { fqdns, lacking, late: await listTooLate(tx, fqdns, now) };
}

async function planIfMissing(
  tx: Tx,
  { spaceId, id }: FqdnRow,
  emit: RenewalEvents,
  now: Date,
): Promise<boolean> {
  const fqdn = await lockFqdn(tx, spaceId, id);
  if (!fqdn.renewalEnabled || (await findOpenRenewal(tx, id)) !== undefined) return false;
  const { outlook } = await readOutlook(tx, fqdn);
  if (!outlook.isPlanned) return false;
  await insertPlanned(tx, fqdn, now);
  await emit.renewalPlanned(tx, { fqdn });
  return true;
}

async function deleteOld({ db, clock }: SweepDeps): Promise<number> {
  const before = new Date(clock.now().getTime() - retentionDays * 86_400_000);
  let total = 0;
  for await (const _round of yieldBetween()) {
    const count = await db.transaction((tx) => deleteOldRenewals(tx, before, slice));
    total += count;
    if (count < slice) break;
  }
  return total;
}

/** Returns the FQDNs whose planned renewal waits longer than the rules allow, as a wrong clock planned it. */
async function listTooLate(tx: Tx, fqdns: readonly FqdnRow[], now: Date): Promise<FqdnRow[]> {
  const ids = fqdns.map(({ id }) => id);
  const waiting = await listWaitingEntries(tx, ids);
  const late = new Set(waiting.filter((entry) => waitsTooLong(entry, now)).map(({ fqdnId }) => fqdnId));
  return fqdns.filter(({ id }) => late.has(id));
}

/**
 * Plans a renewal anew that waits too long: by the plan of its certificate, or soon, if that has passed or the CA may have
 * issued a certificate. False if it does not wait too long any more.
 */
async function pullBackRenewal(tx: Tx, { id, spaceId }: FqdnRow, now: Date): Promise<boolean> {
  const fqdn = await lockFqdn(tx, spaceId, id);
  const open = await findOpenRenewal(tx, id);
  if (open === undefined || (await listTooLate(tx, [fqdn], now)).length === 0) return false;
  const { certificate, outlook } = await readOutlook(tx, fqdn, { open });
  const soon = dueAfterWrongClock(certificate ? usableUntil(certificate) : now, now, Math.random());
  const planned = outlook.isPlanned ? scheduleOf(outlook.plan, now) : now;
  const earlier = await findTry(tx, open);
  const isAnew = planned > now && !(earlier && mayHaveCertificate(earlier));
  const createdAt = open.createdAt > now ? now : open.createdAt;
  const change = isAnew ? { scheduledAt: planned, attempt: 1 } : { scheduledAt: soon };
  return updateRenewal(tx, open, { ...change, createdAt });
}
