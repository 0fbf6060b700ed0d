import { AppError, Conflict, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Check } from '../checks/check.js';
import { applySignal, type Flip } from '../checks/check-state.js';
import { findChecksBySlug } from '../checks/checks.repository.js';
import { flipRow } from '../checks/checks.service.js';
import { insertFlips } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';
import { findProjectByPingKey } from '../projects/projects.repository.js';
import { type IncomingPing, readExitStatus, readRunId, wrongUrl } from './incoming-ping.js';
import type { PingTarget } from './ping-address.js';
import { holdChecks, writePings } from './ping-batch.repository.js';
import type { Ping } from './pings.repository.js';
import { beginsPruning, type PruneDeps, prunePings } from './prune-pings.service.js';
import { signalOfHttpPing, signalOfMail } from './signal.js';

export interface StorePingsDeps extends PruneDeps {
  readonly now: () => Micros;
}

/** What became of a ping: stored, refused, or sound but its check is still to be made. */
export type PingOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly refusal: AppError }
  | { readonly kind: 'unprovisioned' };

const stored: PingOutcome = { kind: 'stored' };

/**
 * Stores pings with all that they change, in the order given, by a handful of statements however many they are; one
 * that is refused leaves the others alone. Their checks are held until the transaction ends, so the numbers of a
 * check have no gaps.
 */
export async function storePings(
  deps: StorePingsDeps,
  tx: Tx,
  incoming: readonly IncomingPing[],
): Promise<PingOutcome[]> {
  const targets: (string | PingOutcome)[] = [];
  for (const { address } of incoming) targets.push(await resolveTarget(tx, address.target));
  const uuids = targets.filter((target) => typeof target === 'string');
  const batch = new Batch(await holdChecks(tx, [...new Set(uuids)]), deps.now);
  const outcomes = incoming.map((ping, index) => batch.add(ping, targets[index] ?? stored));
  await batch.write(deps, tx);
  return outcomes;
}

/** Uuid of the check that a target names, or why there is none. */
async function resolveTarget(tx: Tx, target: PingTarget): Promise<string | PingOutcome> {
  if (target.kind === 'uuid') return target.uuid;
  if (target.slug !== target.slug.toLowerCase()) return refused(wrongUrl());
  const project = await findProjectByPingKey(tx, target.pingKey);
  if (project === undefined) return refused(unknownCheck());
  const [found, another] = await findChecksBySlug(tx, project.id, target.slug);
  if (another !== undefined) return refused(new Conflict('ambiguous slug'));
  if (found === undefined) return target.create ? { kind: 'unprovisioned' } : refused(unknownCheck());
  return found.uuid;
}

/** Checks as pings change them one after another, and the rows to write. */
class Batch {
  readonly #checks: Map<string, Check>;
  readonly #now: () => Micros;
  readonly #pings: Ping[] = [];
  readonly #flips: { readonly checkId: number; readonly flip: Flip }[] = [];
  readonly #changed = new Set<string>();

  constructor(held: readonly Check[], now: () => Micros) {
    this.#checks = new Map(held.map((check) => [check.uuid, check]));
    this.#now = now;
  }

  add(incoming: IncomingPing, target: string | PingOutcome): PingOutcome {
    if (typeof target !== 'string' && target.kind === 'refused') return target;
    const check = typeof target === 'string' ? this.#checks.get(target) : undefined;
    if (typeof target === 'string' && check === undefined) return refused(unknownCheck());
    try {
      const exitStatus = readExitStatus(incoming.address);
      const runId = readRunId(incoming.address);
      if (check === undefined) return { kind: 'unprovisioned' };
      this.#apply(check, incoming, exitStatus, runId);
      return stored;
    } catch (error) {
      if (error instanceof AppError) return refused(error);
      throw error;
    }
  }

  async write(deps: StorePingsDeps, tx: Tx): Promise<void> {
    if (this.#pings.length === 0) return;
    await writePings(tx, this.#changedChecks(), this.#pings);
    const flips = this.#flips.map(({ checkId, flip }) => flipRow(checkId, flip));
    if (flips.length > 0) await insertFlips(tx, flips);
    for (const { checkId, n, at } of this.#pings.filter(beginsPruning)) {
      const check = this.#changedChecks().find(({ id }) => id === checkId);
      if (check !== undefined) await prunePings(deps, tx, check, n, at);
    }
  }

  #apply(check: Check, ping: IncomingPing, exitStatus: number | null, runId: string | null): void {
    const { address, method, userAgent, body } = ping;
    const at = this.#now();
    const signal = ping.mail
      ? signalOfMail(ping.mail, check)
      : signalOfHttpPing({ action: address.action, exitStatus, method, body }, check);
    const { state, flip } = applySignal(check, signal, runId, at);
    const n = check.pingCount + 1;
    // assigned, since spreading another object over one of this size takes 50 times as long
    this.#checks.set(check.uuid, Object.assign({ ...check }, state, { pingCount: n }));
    this.#changed.add(check.uuid);
    this.#pings.push({
      ...{ checkId: check.id, n, at, signal, method, userAgent, runId, exitStatus },
      ...ping.origin,
      body: body.length === 0 ? null : body,
    });
    if (flip !== undefined) this.#flips.push({ checkId: check.id, flip });
  }

  #changedChecks(): Check[] {
    return [...this.#checks.values()].filter(({ uuid }) => this.#changed.has(uuid));
  }
}

function refused(refusal: AppError): PingOutcome {
  return { kind: 'refused', refusal };
}

function unknownCheck(): NotFound {
  return new NotFound('not found');
}
