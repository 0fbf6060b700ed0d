import { once } from 'node:events';
import { AppError, TooManyRequests, type WatchedServerInput } from '@certloop/contracts';
import { yieldBetween } from '@certloop/db';
import { createLimiter } from '@certloop/server';
import type { AddressObservation } from '@certloop/tls-probe';
import type { Caller } from '../../access/caller.js';
import { requireLevel, spaceNotFound } from '../../access/permissions.js';
import { lockFqdn } from '../../fqdns/fqdns.repository.js';
import { spaceExists } from '../../spaces/spaces.repository.js';
import { createRequestLimits, type RequestLimits } from '../../users/limits/request-limits.store.js';
import { nextProbeAt, scheduledFrom } from '../probes/probe-schedule.js';
import type { ProbeDeps } from '../probes/run-probes.service.js';
import { settleObserved } from '../probes/settle-observed.service.js';
import { listStates, type TargetStateRow } from '../probes/target-states.repository.js';
import type { Newest } from '../served/expected.service.js';
import { putOffProbe } from '../target-claims.repository.js';
import { getTarget, type TargetRow } from '../targets.repository.js';
import { type PlacedServer, type PlaceServerDeps, placeServer } from './place-server.service.js';

/** A server that is not watched, and why. */
interface RefusedServer {
  readonly input: WatchedServerInput;
  readonly refusal: AppError;
}

/** Outcome for a server that was to be watched. */
export type WatchedResult =
  | RefusedServer
  | { readonly placed: PlacedServer; readonly probed: ProbedServer | undefined };

/** A server after its probe. */
interface ProbedServer {
  readonly target: TargetRow;
  readonly found: readonly AddressObservation[];
  readonly states: readonly TargetStateRow[];
  readonly newest: Newest | undefined;
  readonly isNewCertificate: boolean;
  readonly now: Date;
}
export interface WatchServersDeps extends Omit<ProbeDeps, 'emit'>, Omit<PlaceServerDeps, 'emit'> {
  readonly emit: ProbeDeps['emit'] & PlaceServerDeps['emit'];
  /** Counts servers that are to be watched. */
  readonly watchLimits: RequestLimits;
}

const probeMs = 20_000;
// as many as the prober connects to at once
const maxAtOnce = 32;
const perMinuteAndSpace = 600;

/** Counts servers that are to be watched: 600 a minute and space. */
export function createWatchLimits(clock: ProbeDeps['clock']): RequestLimits {
  return createRequestLimits(clock, { perPrincipal: 0, perSpace: perMinuteAndSpace });
}

/**
 * Adds FQDNs and targets of servers to a space, as far as they are not there, probes them for up to 20 s, and stores what
 * they serve. Each server is judged alone: one that is refused changes nothing for the others. Returns the results in
 * their order. Throws NotFound for the space, too_many_requests after 600 servers in a minute of the space.
 */
export async function watchServers(
  deps: WatchServersDeps,
  caller: Caller,
  { spaceId, servers }: { readonly spaceId: string; readonly servers: readonly WatchedServerInput[] },
): Promise<WatchedResult[]> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  if (!(await deps.db.read((tx) => spaceExists(tx, spaceId)))) throw spaceNotFound();
  const counted = deps.watchLimits.count('space', spaceId, servers.length);
  if (counted?.isAllowed === false)
    throw new TooManyRequests(
      `this space allows at most ${perMinuteAndSpace} servers a minute`,
      counted.waitSeconds,
    );
  const placed: (PlacedServer | RefusedServer)[] = [];
  for await (const input of yieldBetween(servers)) {
    placed.push(await unlessRefused(input, () => placeServer(deps, caller, { spaceId, input })));
  }
  const probe = createProbes(deps, caller);
  const works = placed.map((one) => ('refusal' in one ? one : probe(one)));
  const results = await Promise.allSettled(works);
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    throw result.reason;
  });
}

/** The result of the work, or the refusal that it ended with. Rejects for faults. */
async function unlessRefused<T>(
  input: WatchedServerInput,
  work: () => Promise<T>,
): Promise<T | RefusedServer> {
  try {
    return await work();
  } catch (refusal) {
    // without the space, no other server can be added either
    if (refusal instanceof AppError && refusal.code !== spaceNotFound().code) return { input, refusal };
    throw refusal;
  }
}

/** Probes each target once, 32 at a time, until the time is over. */
function createProbes(deps: WatchServersDeps, caller: Caller) {
  const signal = AbortSignal.timeout(probeMs);
  const limit = createLimiter({ atOnce: maxAtOnce });
  const begun = new Map<string, Promise<WatchedResult>>();
  const probe = async (placed: PlacedServer): Promise<WatchedResult> => {
    const found = await lookWithin(deps, placed, signal);
    return unlessRefused(placed.input, async () => ({
      placed,
      probed: await settleServer(deps, caller, placed, { found, isOver: signal.aborted }),
    }));
  };
  return async (placed: PlacedServer): Promise<WatchedResult> => {
    if (placed.target.mode !== 'probe') return { placed, probed: undefined };
    const { id } = placed.target;
    const work = begun.get(id) ?? limit(() => probe(placed));
    begun.set(id, work);
    const result = await work;
    // the same server a second time
    return 'placed' in result ? { ...result, placed } : result;
  };
}

/** Returns what was observed before the time was over. */
async function lookWithin(
  { prober }: WatchServersDeps,
  { target, keyAlgorithm }: PlacedServer,
  time: AbortSignal,
): Promise<readonly AddressObservation[]> {
  // of its own: all servers together would have too many listeners
  const signal = AbortSignal.any([time]);
  if (signal.aborted) return [];
  const over = once(signal, 'abort').then(() => []);
  return Promise.race([prober.look(target, { keyAlgorithm, signal }), over]);
}

interface Looked {
  readonly found: readonly AddressObservation[];
  readonly isOver: boolean;
}

/** Stores what was observed; undefined if there was no time to observe anything. Throws NotFound if the FQDN is gone. */
async function settleServer(
  { db, clock, emit }: WatchServersDeps,
  caller: Caller,
  { fqdn: { id: fqdnId, spaceId }, target: { id: targetId } }: PlacedServer,
  { found, isOver }: Looked,
): Promise<ProbedServer | undefined> {
  return db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const target = await getTarget(tx, fqdnId, targetId);
    const now = clock.now();
    if (found.length === 0) {
      await putOffProbe(tx, targetId, now);
      return undefined;
    }
    const settled = await settleObserved(tx, emit, {
      target,
      found,
      isWhole: !isOver && found.every(({ address }) => address !== undefined),
      observer: 'manager',
      observedAt: now,
      adopter: { fqdn, caller, now },
    });
    const { newest, turns, isNewCertificate } = settled;
    const terms = { now, storedAt: scheduledFrom(target, newest?.row), everySeconds: target.everySeconds };
    await putOffProbe(tx, targetId, nextProbeAt({ ...terms, turns, random: Math.random() }));
    const states = await listStates(tx, [target]);
    return { target, found, states, newest, isNewCertificate, now };
  });
}
