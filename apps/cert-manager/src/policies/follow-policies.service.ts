import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { type FqdnRow, findFqdn } from '../fqdns/fqdns.repository.js';
import {
  findPolicyRefusal,
  listPolicyRefusals,
  markRefusedTry,
} from '../fqdns/policy/policy-refusals.repository.js';
import { noteForbidden } from '../renewals/queue/forbidden-renewals.service.js';
import type { RenewalRow } from '../renewals/renewals.repository.js';
import type { RenewalScheduler } from '../renewals/schedule-renewals.service.js';
import type { WatchEvents } from '../watch/watch-events.service.js';
import { reviewFqdn } from './review-fqdn.service.js';

type Watch = Pick<WatchEvents, 'onForbidden' | 'onAllowedAgain' | 'onRenewalFailed'>;

/** The scheduler, after which an FQDN is reviewed that its policy refuses. */
export function reviewedAfter(scheduler: RenewalScheduler, watch: Watch, clock: Clock): RenewalScheduler {
  const reviewRefused = async (tx: Tx, fqdns: readonly FqdnRow[]) => {
    const refusals = await listPolicyRefusals(
      tx,
      fqdns.map(({ id }) => id),
    );
    const reasons = new Map(refusals.map(({ fqdnId, reason }) => [fqdnId, reason]));
    for (const fqdn of fqdns) {
      const reason = reasons.get(fqdn.id);
      if (reason === undefined || (await reviewFqdn(tx, watch, fqdn, clock.now())) !== undefined) continue;
      // renewals that were planned again do not have it yet
      await noteForbidden(tx, fqdn.id, reason);
    }
  };
  return {
    ...scheduler,
    onCertificatesStored: async (tx, stored) => {
      await scheduler.onCertificatesStored(tx, stored);
      await reviewRefused(
        tx,
        stored.map(({ fqdn }) => fqdn),
      );
    },
    onRenewalsSwitched: async (tx, caller, switched) => {
      await scheduler.onRenewalsSwitched(tx, caller, switched);
      await reviewRefused(
        tx,
        switched.map(({ fqdn }) => fqdn),
      );
    },
    onCsrStored: async (tx, caller, fqdn) => {
      await scheduler.onCsrStored(tx, caller, fqdn);
      await reviewRefused(tx, [fqdn]);
    },
  };
}

/** What the watch does about a failed renewal, and a note where the policy of the space forbids it. */
export function notedIfForbidden(watch: Watch, clock: Clock): WatchEvents['onRenewalFailed'] {
  // the failure has been reported already
  const silent = { ...watch, onForbidden: async () => undefined };
  return async (tx, entry: RenewalRow, fault) => {
    await watch.onRenewalFailed(tx, entry, fault);
    const fqdn = entry.isTest ? undefined : await findFqdn(tx, entry.fqdnId);
    if (fqdn === undefined) return;
    await reviewFqdn(tx, silent, fqdn, clock.now());
    const refusal = await findPolicyRefusal(tx, fqdn.id);
    if (refusal === undefined) return;
    await noteForbidden(tx, fqdn.id, refusal.reason);
    await markRefusedTry(tx, fqdn.id, clock.now());
  };
}
