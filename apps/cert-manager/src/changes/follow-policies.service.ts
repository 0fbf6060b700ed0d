import type { Tx } from '@certloop/db';
import { type FqdnRow, findFqdn } from '../fqdns/fqdns.repository.js';
import { type FqdnEvent, fqdnsOf } from '../fqdns/fqdns.service.js';
import {
  findPolicyRefusal,
  listPolicyRefusals,
  markRefusedTry,
} from '../fqdns/policy/policy-refusals.repository.js';
import { reviewFqdn } from '../policies/review-fqdn.service.js';
import { noteForbidden } from '../renewals/queue/forbidden-renewals.service.js';
import type { FailedRenewal } from '../renewals/queue/settle-renewal.service.js';
import type { WatchDeps } from '../watch/watch-changes.service.js';
import { pingPolicyVerdict } from '../watch/watch-events.service.js';

/** Reviews FQDNs that the policies of their spaces refuse. */
export async function reviewRefused(tx: Tx, event: FqdnEvent<FqdnRow>, deps: WatchDeps): Promise<void> {
  const fqdns = fqdnsOf(event);
  const refusals = await listPolicyRefusals(
    tx,
    fqdns.map(({ id }) => id),
  );
  const reasons = new Map(refusals.map(({ fqdnId, reason }) => [fqdnId, reason]));
  for (const fqdn of fqdns) {
    const reason = reasons.get(fqdn.id);
    if (reason === undefined) continue;
    const verdict = await reviewFqdn(tx, fqdn, deps.clock.now());
    if (verdict !== undefined) await pingPolicyVerdict(tx, { fqdn, ...verdict }, deps);
    // renewals that were planned again do not have it yet
    else await noteForbidden(tx, fqdn.id, reason);
  }
}

/** Notes at a renewal that failed that the policy of the space forbids it, if it does. */
export async function noteRefusedTry(tx: Tx, { entry }: FailedRenewal, deps: WatchDeps): Promise<void> {
  const fqdn = entry.isTest ? undefined : await findFqdn(tx, entry.fqdnId);
  if (fqdn === undefined) return;
  const verdict = await reviewFqdn(tx, fqdn, deps.clock.now());
  // a failure was pinged already
  if (verdict !== undefined && verdict.refusal === undefined)
    await pingPolicyVerdict(tx, { fqdn, ...verdict }, deps);
  const refusal = await findPolicyRefusal(tx, fqdn.id);
  if (refusal === undefined) return;
  await noteForbidden(tx, fqdn.id, refusal.reason);
  await markRefusedTry(tx, fqdn.id, deps.clock.now());
}
