import { randomUUID } from 'node:crypto';
import { TooManyRequests } from '@certloop/contracts';
import { keyAlgorithmOf } from '@certloop/tls-probe';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { getFqdn, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { createRequestLimits, type RequestLimits } from '../../users/limits/request-limits.store.js';
import { findNewest } from '../served/expected.service.js';
import type { ServedPart } from '../served/served-view.js';
import { readServed } from '../served/show-served.service.js';
import { claimTarget, lockClaimedTarget, releaseTarget } from '../target-claims.repository.js';
import { refusalOfField } from '../target-input.js';
import { getTarget } from '../targets.repository.js';
import { auditOf, type TargetPath } from '../targets.service.js';
import { nextProbeAt, scheduledFrom } from './probe-schedule.js';
import type { ProbeDeps } from './run-probes.service.js';
import { settleObserved } from './settle-observed.service.js';

// how long a caller waits, and how long the service waits when they probe two
const probeMs = 20_000;
const leaseMs = 60_000;
const perMinuteAndSpace = 6;

export interface ManualProbeDeps extends ProbeDeps {
  readonly limits: RequestLimits;
}

/** Counts manual probes: 6 a minute and space. */
export function createProbeLimits(clock: ProbeDeps['clock']): RequestLimits {
  return createRequestLimits(clock, { perPrincipal: 0, perSpace: perMinuteAndSpace });
}

/**
 * Probes a target at once, for up to 20 s, and shows what the FQDN's targets serve then. Throws NotFound, InvalidInput for
 * one that is not probed from here, too_many_requests after 6 in a minute of the space or while it is being probed.
 */
export async function probeTarget(
  deps: ManualProbeDeps,
  caller: Caller,
  path: TargetPath,
): Promise<ServedPart> {
  const { db, clock, prober, limits } = deps;
  requireLevel(caller, path.spaceId, 'READ_WRITE');
  await db.read((tx) => findProbed(tx, path));
  const counted = limits.count('space', path.spaceId);
  if (counted?.isAllowed === false)
    throw new TooManyRequests(
      `this space allows at most ${perMinuteAndSpace} manual probes a minute`,
      counted.waitSeconds,
    );
  const { target, keyAlgorithm } = await db.transaction(async (tx) => {
    const { fqdn, target: row } = await findProbed(tx, path);
    const now = clock.now();
    const claim = { now, token: randomUUID(), until: new Date(now.getTime() + leaseMs) };
    const claimed = await claimTarget(tx, row, claim);
    if (claimed === undefined) throw new TooManyRequests('this target is being probed', 10);
    await recordAudit(tx, caller, auditOf('target.probe', fqdn, row), now);
    const newest = await findNewest(tx, fqdn.id);
    return { target: claimed, keyAlgorithm: newest && keyAlgorithmOf(newest.leaf) };
  });
  const signal = AbortSignal.timeout(probeMs);
  const found = await prober.look(target, { keyAlgorithm, signal });
  const isWhole = !signal.aborted && found.every(({ address }) => address !== undefined);
  const seconds = await db.transaction(async (tx) => {
    const now = clock.now();
    const fqdn = target.adopt === true ? await lockFqdn(tx, path.spaceId, path.fqdnId) : undefined;
    const current = await lockClaimedTarget(tx, target);
    if (current === undefined) return undefined;
    const settled = await settleObserved(tx, deps.emit, {
      target: current,
      found,
      isWhole,
      observer: 'manager',
      observedAt: now,
      adopter: fqdn && { fqdn, caller, now },
    });
    const { newest, turns } = settled;
    const terms = {
      now,
      storedAt: scheduledFrom(current, newest?.row),
      everySeconds: current.everySeconds,
      turns,
    };
    await releaseTarget(tx, target, nextProbeAt({ ...terms, random: Math.random() }));
    return settled.inServiceSeconds;
  });
  if (seconds !== undefined) deps.onInService(seconds);
  return db.read((tx) => readServed(tx, path));
}

async function findProbed(tx: Parameters<typeof getFqdn>[0], { spaceId, fqdnId, targetId }: TargetPath) {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const target = await getTarget(tx, fqdnId, targetId);
  if (target.mode === 'report' || !target.enabled)
    throw refusalOfField(
      'target_not_probed',
      'targetId',
      'this target is switched off or of mode report: set enabled true and mode "probe", or use certloop probe --report.',
    );
  return { fqdn, target };
}
