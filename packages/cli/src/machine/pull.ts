import { join } from 'node:path';
import { AppError } from '@certloop/contracts';
import { lockFile } from '../connection/file-lock.js';
import { isTemporary } from '../connection/repeat.js';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { findFqdn } from '../lookup.js';
import type { Machine } from './machine.js';
import { type MachineCheck, reportOf } from './machine-check.js';
import type { FqdnIds } from './newest.js';
import { pauseAfterFailure } from './next-step.js';
import { openFolder, readPairs, removeDrafts, type StoredPair } from './pair-folders.js';
import { pullRound, type RoundDeps, type RoundEnd } from './pull-round.js';

export interface PullOptions {
  readonly machine: Machine;
  readonly space: string | undefined;
  readonly wait: number;
  readonly check: MachineCheck | undefined;
  readonly now: () => Date;
}

// where the manager is not asked to hold requests, and while there is no certificate, for which it holds none
const idleMs = 900_000;
const noneMs = 60_000;
const minPauseMs = 1_000;
// a process that stays holds the folder for good
const lockedMs = 1_000;

/** One round. Throws what is in the way, having reported it. */
export async function pullOnce(session: Session, options: PullOptions): Promise<RoundEnd> {
  return locked(options, async () => {
    const end = await round(session, options, depsOf(session, options, new AbortController().signal));
    if (end.outcome === 'unchanged') session.unchanged();
    return end;
  });
}

/** Rounds until the process is asked to end; a failure is reported, and the next round follows after a pause. */
export async function pullForever(session: Session, options: PullOptions): Promise<void> {
  const { io } = session;
  const stop = new AbortController();
  const release = io.onSignal(() => stop.abort());
  try {
    await locked(options, async () => {
      const deps = depsOf(session, options, stop.signal);
      for (let failures = 0; !stop.signal.aborted; ) {
        const began = options.now().getTime();
        const ended = await round(session, options, deps).then(
          (end) => ({ end }),
          (error: unknown) => ({ error }),
        );
        if (stop.signal.aborted) return;
        if ('error' in ended) {
          // no pause mends a wrong option or an absent log-in
          if (ended.error instanceof UsageError) throw ended.error;
          failures += 1;
          session.report.warn((ended.error as Error).message);
          await io.pause(pauseAfterFailure(failures, Math.random(), retryAfterOf(ended.error)), stop.signal);
        } else {
          failures = 0;
          const tookMs = options.now().getTime() - began;
          await io.pause(pauseAfterRound(ended.end, options.wait, tookMs), stop.signal);
        }
      }
    });
  } finally {
    release();
  }
}

/** The manager holds the next request, unless it said when to come again, or is not asked to hold any. */
function pauseAfterRound({ outcome, retryAfter }: RoundEnd, wait: number, tookMs: number): number {
  if (retryAfter !== undefined) return pauseAfterFailure(1, 1, retryAfter);
  const usualMs = outcome === 'none' ? noneMs : idleMs;
  if (wait === 0 || outcome === 'none') return usualMs * (0.8 + 0.4 * Math.random());
  return tookMs < minPauseMs ? minPauseMs : 0;
}

function retryAfterOf(error: unknown): string | undefined {
  return error instanceof AppError ? error.headers['Retry-After'] : undefined;
}

function depsOf(
  session: Session,
  { machine, space, wait, now }: PullOptions,
  signal: AbortSignal,
): RoundDeps {
  const { manager } = session;
  let ids: FqdnIds | undefined;
  const findIds = async () => {
    if (ids === undefined) {
      const { id: fqdnId, spaceId } = await findFqdn(manager, machine.fqdn, space);
      ids = { fqdnId, spaceId };
    }
    return ids;
  };
  return { manager, machine, findIds, now, wait, signal, seen: {} };
}

/** One process at a time works in the folder. */
async function locked<T>({ machine }: PullOptions, work: () => Promise<T>): Promise<T> {
  await openFolder(machine);
  const unlock = await lockFile(join(machine.dir, '.lock'), lockedMs);
  try {
    await removeDrafts(machine);
    return await work();
  } finally {
    await unlock();
  }
}

async function round(session: Session, options: PullOptions, deps: RoundDeps): Promise<RoundEnd> {
  const { machine, check, now } = options;
  try {
    const end = await pullRound(deps);
    if (end.outcome === 'installed' && end.current !== undefined) announce(session, machine, end.current);
    await check?.report(true, stateOf(end));
    return end;
  } catch (error) {
    if (deps.signal.aborted && isAborted(error)) throw error;
    const current = isTemporary(error) ? (await readPairs(machine)).current : undefined;
    const { succeeded, sentence } = reportOf(error, current, now());
    await check?.report(succeeded, sentence);
    throw error;
  }
}

function isAborted(error: unknown): boolean {
  return (error as { readonly name?: unknown }).name === 'AbortError' || isTemporary(error);
}

function announce({ report }: Session, { fqdn, dir }: Machine, { leaf, name }: StoredPair): void {
  const { serialNumber, notAfter } = leaf;
  const shown = { fqdn, serial: serialNumber, notAfter: notAfter.toISOString(), folder: join(dir, name) };
  report.line(shown, { fqdn, what: 'installed', serial: serialNumber, notAfter: `ends ${shown.notAfter}` });
}

function stateOf({ current }: RoundEnd): string {
  if (current === undefined) return 'there is no certificate yet';
  const { serialNumber, notAfter } = current.leaf;
  return `serial ${serialNumber}, which ends ${notAfter.toISOString()}, is installed`;
}
