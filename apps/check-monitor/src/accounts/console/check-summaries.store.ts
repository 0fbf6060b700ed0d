import { slicesOf, type Tx, yieldBetween } from '@certloop/db';
import type { CheckChanges } from '../../checks/check-changes.store.js';
import { type CheckSummary, compareTexts, nameKeyOf } from '../../checks/check-summary.js';
import { listSummaryTexts, readCheckSummaries } from '../../checks/rows/check-summaries.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { type Micros, microsPerSecond } from '../../instants.js';
import { sortInTurns } from './sort-in-turns.service.js';

// some milliseconds of work
const checksAtOnce = 5_000;

export interface CheckSummariesDeps extends DbDeps {
  readonly changes: Pick<CheckChanges, 'position' | 'since'>;
}

/** Checks of projects, to be searched, sorted and counted. */
export interface CheckSummaries {
  /**
   * Checks of a project by name. They are read at most every 3 s, every 15 s where there are more than 10,000, and those
   * that this process has changed since at once. While more than 10,000 are read again, callers get the reading before,
   * which is at most 30 s old.
   */
  list(projectId: string): Promise<readonly CheckSummary[]>;
}

interface Reading {
  readonly at: Micros;
  /** Notes of changes up to here are read. */
  readonly position: number;
  /** By name. */
  readonly checks: ReadonlyMap<string, CheckSummary>;
  /** The same, as lists read them: to copy 50,000 for each list takes milliseconds. */
  readonly ordered: readonly CheckSummary[];
}

const manyChecks = 10_000;
/** To read 50,000 takes half a second, which an open page would wait every 15 s. */
const maxAgeSeconds = 30;
// they take some milliseconds
const fewChecks = 500;

export function createCheckSummaries(deps: CheckSummariesDeps): CheckSummaries {
  const { db, clock, changes } = deps;
  // of each project the reading that is under way, or the last one
  const readings = new Map<string, Promise<Reading>>();
  // projects whose checks are read again while the reading before is shown
  const renewed = new Set<string>();

  const find = async (projectId: string, uuids?: readonly string[]): Promise<CheckSummary[]> => {
    const isShort = uuids !== undefined && uuids.length <= fewChecks;
    const work = (tx: Tx) => listSummaryTexts(tx, projectId, uuids);
    return readCheckSummaries(await (isShort ? db.read(work) : db.longRead(work)));
  };

  const readAll = async (projectId: string): Promise<Reading> => {
    const position = changes.position();
    const at = clock.now();
    return { at, position, ...(await byName(await find(projectId))) };
  };

  const readAgain = async (projectId: string): Promise<void> => {
    if (renewed.has(projectId)) return;
    renewed.add(projectId);
    const reading = readAll(projectId);
    // a failure is that of the first caller for whom the reading before is too old
    if ((await reading.catch(noop)) !== undefined) readings.set(projectId, reading);
    renewed.delete(projectId);
  };

  const read = async (projectId: string, last: Reading | undefined): Promise<Reading> => {
    const position = changes.position();
    const now = clock.now();
    const changed = last && changes.since(last.position, (uuid) => last.checks.has(uuid));
    if (last === undefined || changed === undefined || !isUsable(last, now)) return readAll(projectId);
    if (!isFresh(last, now)) void readAgain(projectId);
    if (changed.size === 0) return { ...last, position };
    const found = await find(projectId, [...changed]);
    return { at: last.at, position, ...(await replaced(last.checks, changed, found)) };
  };

  const forgetOld = (): void => {
    for (const [projectId, reading] of readings) {
      void reading.then((last) => {
        if (readings.get(projectId) === reading && !isUsable(last, clock.now())) readings.delete(projectId);
      }, noop);
    }
  };

  return {
    list: async (projectId) => {
      forgetOld();
      const last = readings.get(projectId)?.catch(noop);
      const next = Promise.resolve(last).then((known) => read(projectId, known));
      readings.set(projectId, next);
      next.catch(() => readings.delete(projectId));
      return (await next).ordered;
    },
  };
}

function noop(): undefined {
  return undefined;
}

function isFresh({ at, checks }: Reading, now: Micros): boolean {
  const age = now - at;
  return age >= 0 && age < (checks.size > manyChecks ? 15 : 3) * microsPerSecond;
}

/** Whether callers get it, perhaps while the next one is under way. */
function isUsable(reading: Reading, now: Micros): boolean {
  const age = now - reading.at;
  if (reading.checks.size <= manyChecks) return isFresh(reading, now);
  return age >= 0 && age < maxAgeSeconds * microsPerSecond;
}

type Ordered = Pick<Reading, 'checks' | 'ordered'>;

async function byName(found: Iterable<CheckSummary>): Promise<Ordered> {
  const keyed: { readonly check: CheckSummary; readonly key: string }[] = [];
  for await (const slice of yieldBetween(slicesOf(Array.from(found), checksAtOnce)))
    for (const check of slice) keyed.push({ check, key: nameKeyOf(check) });
  const sorted = await sortInTurns(
    keyed,
    (one, other) => compareTexts(one.key, other.key) || one.check.id - other.check.id,
  );
  const ordered: CheckSummary[] = [];
  const checks = new Map<string, CheckSummary>();
  for await (const slice of yieldBetween(slicesOf(sorted, checksAtOnce))) {
    for (const { check } of slice) {
      ordered.push(check);
      checks.set(check.uuid, check);
    }
  }
  return { checks, ordered };
}

async function replaced(
  known: ReadonlyMap<string, CheckSummary>,
  changed: ReadonlySet<string>,
  found: readonly CheckSummary[],
): Promise<Ordered> {
  const checks = new Map(known);
  const left = new Set(changed);
  let isInOrder = true;
  for (const check of found) {
    const before = known.get(check.uuid);
    if (before === undefined || nameKeyOf(before) !== nameKeyOf(check)) isInOrder = false;
    // one that exists already stays in its place
    checks.set(check.uuid, check);
    left.delete(check.uuid);
  }
  for (const uuid of left) checks.delete(uuid);
  return isInOrder ? { checks, ordered: [...checks.values()] } : byName(checks.values());
}
