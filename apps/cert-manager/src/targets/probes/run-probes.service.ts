import { randomUUID } from 'node:crypto';
import { abortAfter } from '@certloop/contracts';
import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { type AddressObservation, keyAlgorithmOf } from '@certloop/tls-probe';
import { builtInCaller, internalOrigin } from '../../access/caller.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { isUnlike } from '../adoption/adopt-served.service.js';
import { findNewest } from '../served/expected.service.js';
import {
  type ClaimedTarget,
  claimTargets,
  lockClaimedTarget,
  releaseTarget,
} from '../target-claims.repository.js';
import type { TargetRow } from '../targets.repository.js';
import { nextProbeAt, scheduledFrom } from './probe-schedule.js';
import type { Prober } from './prober.service.js';
import { type ObservationEvents, settleObserved } from './settle-observed.service.js';
import { deleteOldChanges } from './target-changes.repository.js';

export interface ProbeDeps extends DbDeps {
  readonly emit: ObservationEvents;
  readonly logger: Logger;
  readonly prober: Prober;
  /** A certificate came into service at all addresses so many seconds after it was stored. */
  readonly onInService: (seconds: number) => void;
}

/** Report of what a run of the prober did. */
export interface ProbeReport {
  readonly probed: number;
  /** Whether nothing that was due is left. */
  readonly isDone: boolean;
}

// probes under way, most of which wait for their turn
const maxUnderWay = 64;
const maxOfOneHost = 4;
const maxPerRun = 5000;
// when a target whose host has enough of them is due again
const putOffMs = 10_000;
// longer than the probe of a target and its settling can take
const leaseMs = 600_000;
/** Milliseconds after which a probe of a target is ended, with the addresses that it has observed. */
const probeMs = 120_000;
/** Until when changes are stored. */
const changesMs = 400 * 86_400_000;

interface Ended {
  readonly target: ClaimedTarget;
  /** Undefined where the probe broke off. */
  readonly found: readonly AddressObservation[] | undefined;
  readonly isWhole: boolean;
  /** Whether it serves what is not the newest certificate, and that may be adopted. */
  readonly mayAdopt: boolean;
}

/** A target to probe, with what is to be known of the newest certificate of its FQDN. */
interface ToProbe {
  readonly target: ClaimedTarget;
  readonly keyAlgorithm: string | undefined;
  readonly newestSha256: string | undefined;
}

/**
 * Probes targets that are due, the earliest first, for as long as the budget lasts. Of several processes one probes a
 * target at a time; what a process that died was probing is due again when its turn has lapsed.
 */
export async function runProbes(
  deps: ProbeDeps,
  { budgetMs, stop }: { readonly budgetMs: number; readonly stop: AbortSignal },
): Promise<ProbeReport> {
  const { db, clock } = deps;
  const until = performance.now() + budgetMs;
  const underWay = new Map<string, Promise<void>>();
  const hosts = new Map<string, number>();
  let ended: Ended[] = [];
  let probed = 0;
  let hasMore = true;
  const begin = (claimed: ToProbe) => {
    const { target } = claimed;
    hosts.set(target.host, (hosts.get(target.host) ?? 0) + 1);
    const work = probeOne(deps, claimed, stop).then((end) => {
      ended.push(end);
      underWay.delete(target.id);
      const left = (hosts.get(target.host) ?? 1) - 1;
      if (left === 0) hosts.delete(target.host);
      else hosts.set(target.host, left);
    });
    underWay.set(target.id, work);
  };
  for await (const _round of yieldBetween()) {
    const mayBegin = !stop.aborted && performance.now() < until && probed < maxPerRun;
    const free = maxUnderWay - underWay.size;
    if (mayBegin && hasMore && free > 0) {
      const claimed = await claim(deps, { free, hosts });
      hasMore = claimed.hasMore;
      for (const one of claimed.targets) begin(one);
      probed += claimed.targets.length;
    }
    if (underWay.size > 0) await Promise.race(underWay.values());
    else if (ended.length === 0) break;
    const batch = ended;
    ended = [];
    await settleEnded(deps, batch, stop);
  }
  await db.transaction((tx) => deleteOldChanges(tx, new Date(clock.now().getTime() - changesMs), 1000));
  return { probed, isDone: !hasMore };
}

interface Claimed {
  readonly targets: readonly ToProbe[];
  readonly hasMore: boolean;
}

async function claim(
  { db, clock }: ProbeDeps,
  { free, hosts }: { readonly free: number; readonly hosts: ReadonlyMap<string, number> },
): Promise<Claimed> {
  const now = clock.now();
  const token = randomUUID();
  const until = new Date(now.getTime() + leaseMs);
  let looked = 0;
  const choose = (due: readonly TargetRow[]) => {
    looked = due.length;
    const counts = new Map(hosts);
    return due.filter(({ host }) => {
      const count = counts.get(host) ?? 0;
      counts.set(host, count + 1);
      return count < maxOfOneHost;
    });
  };
  const otherwise = new Date(now.getTime() + putOffMs);
  return db.transaction(async (tx) => {
    const rows = await claimTargets(tx, { now, token, until, limit: free, choose }, otherwise);
    const targets: ToProbe[] = [];
    for (const target of rows) {
      const newest = await findNewest(tx, target.fqdnId);
      const keyAlgorithm = newest && keyAlgorithmOf(newest.leaf);
      targets.push({ target, keyAlgorithm, newestSha256: newest?.fingerprint });
    }
    return { targets, hasMore: looked === free };
  });
}

async function probeOne(
  { prober, logger }: ProbeDeps,
  { target, keyAlgorithm, newestSha256 }: ToProbe,
  stop: AbortSignal,
): Promise<Ended> {
  const late = abortAfter(probeMs);
  const signal = AbortSignal.any([stop, late]);
  try {
    const found = await prober.look(target, { keyAlgorithm, signal });
    const isWhole = !signal.aborted && found.every(({ address }) => address !== undefined);
    return { target, found, isWhole, mayAdopt: target.adopt === true && isUnlike(found, newestSha256) };
  } catch (error) {
    logger.error({ error, targetId: target.id }, 'targets.probe_failed');
    return { target, found: undefined, isWhole: false, mayAdopt: false };
  }
}

/** Stores what was observed; of an FQDN that was deleted in the meantime, nothing. */
async function settleEnded(
  { db, clock, emit, onInService }: ProbeDeps,
  batch: readonly Ended[],
  stop: AbortSignal,
): Promise<void> {
  if (batch.length === 0) return;
  // in one order always, so that two processes do not wait for each other
  const sorted = [...batch].sort((a, b) => (a.target.fqdnId < b.target.fqdnId ? -1 : 1));
  const inService = await db.transaction(async (tx) => {
    const seconds: number[] = [];
    // before the targets, as all who store certificates do
    const fqdns = await lockAdopting(tx, sorted);
    const caller = builtInCaller('scheduler', internalOrigin(randomUUID()));
    for (const { target, found, isWhole } of sorted) {
      const now = clock.now();
      const fqdn = fqdns.get(target.fqdnId);
      // the guard against who was silent for longer than its turn
      const current = await lockClaimedTarget(tx, target);
      if (current === undefined) continue;
      const regular = { now, everySeconds: current.everySeconds, random: Math.random() };
      // it is due again at once when the service stops in the middle
      if (stop.aborted && !isWhole) {
        await releaseTarget(tx, target, now);
        continue;
      }
      if (found === undefined) {
        await releaseTarget(tx, target, nextProbeAt({ ...regular, storedAt: undefined, turns: [] }));
        continue;
      }
      const adopter = fqdn && { fqdn, caller, now };
      const observed = {
        target: current,
        found,
        isWhole,
        observer: 'manager' as const,
        observedAt: now,
        adopter,
      };
      const { newest, turns, inServiceSeconds } = await settleObserved(tx, emit, observed);
      await releaseTarget(
        tx,
        target,
        nextProbeAt({ ...regular, storedAt: scheduledFrom(current, newest?.row), turns }),
      );
      if (inServiceSeconds !== undefined) seconds.push(inServiceSeconds);
    }
    return seconds;
  });
  for (const seconds of inService) onInService(seconds);
}

/** The FQDNs whose certificates may be adopted, locked. */
async function lockAdopting(tx: Tx, ended: readonly Ended[]): Promise<ReadonlyMap<string, FqdnRow>> {
  const ids = ended.flatMap(({ target, mayAdopt }) => (mayAdopt ? [target.fqdnId] : []));
  const fqdns = ids.length === 0 ? [] : await lockFqdns(tx, [...new Set(ids)]);
  return new Map(fqdns.map((fqdn) => [fqdn.id, fqdn]));
}
