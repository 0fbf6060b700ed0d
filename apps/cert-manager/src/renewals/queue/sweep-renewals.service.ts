import { type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { type FqdnRow, listRenewedFqdnsAfter, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { readOutlook } from '../outlook/read-outlook.service.js';
import { deleteOldRenewals } from '../renewal-history.repository.js';
import { findOpenRenewal, listFqdnsWithOpen } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { listTooLate, pullBackRenewal } from './pull-back-renewals.service.js';
import type { RenewalEvents } from './settle-renewal.service.js';

export interface SweepDeps {
  readonly db: Database;
  readonly clock: Clock;
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
