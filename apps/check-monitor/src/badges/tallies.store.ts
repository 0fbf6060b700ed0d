import type { CheckChanges } from '../checks/check-changes.store.js';
import { listTaggedStatuses } from '../checks/rows/tagged-checks.repository.js';
import type { DbDeps } from '../db-deps.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { findProjectByBadgeKey } from '../projects/projects.repository.js';
import { Tally } from './tally.js';

export interface TalliesDeps extends DbDeps {
  readonly changes: CheckChanges;
}

/** Tallies of projects for their badges. */
export interface Tallies {
  /**
   * The tally of the project of a badge key; undefined if there is none. The checks of a project are read at most
   * once a second, and those that this process has changed since at once.
   */
  get(badgeKey: string): Promise<Tally | undefined>;
}

interface Entry {
  readonly badgeKey: string;
  current: Reading | undefined;
  /** Settles when the reading that is under way has ended; those who ask in the meantime take turns. */
  turn: Promise<unknown>;
}

interface Reading {
  readonly projectId: string;
  readonly tally: Tally;
  readonly at: Micros;
  /** Notes of changes up to here are counted in. */
  position: number;
}

// some 150 bytes each
const maxChecks = 200_000;

export function createTallies(deps: TalliesDeps): Tallies {
  // from the one asked for the longest ago
  const entries = new Map<string, Entry>();
  let size = 0;

  const take = (badgeKey: string): Entry => {
    const entry = entries.get(badgeKey) ?? newEntry(badgeKey);
    entries.delete(badgeKey);
    entries.set(badgeKey, entry);
    return entry;
  };

  const store = (entry: Entry, current: Reading | undefined): void => {
    size += sizeOf(current) - sizeOf(entry.current);
    entry.current = current;
    if (current === undefined) entries.delete(entry.badgeKey);
    for (const oldest of entries.values()) {
      if (size <= maxChecks || oldest === entry) return;
      entries.delete(oldest.badgeKey);
      size -= sizeOf(oldest.current);
      oldest.current = undefined;
    }
  };

  const refresh = async (entry: Entry): Promise<Tally | undefined> => {
    const changed = changedSince(deps, entry.current);
    if (changed === undefined) store(entry, await readWhole(deps, entry.badgeKey));
    else if (entry.current !== undefined) await readSome(deps, entry.current, changed);
    return entry.current?.tally;
  };

  return {
    get: (badgeKey) => {
      const entry = take(badgeKey);
      const tally = entry.turn.then(() => refresh(entry));
      entry.turn = tally.catch(() => undefined);
      return tally;
    },
  };
}

function newEntry(badgeKey: string): Entry {
  return { badgeKey, current: undefined, turn: Promise.resolve() };
}

/** One more than its checks, as a project without any takes its place too. */
function sizeOf(reading: Reading | undefined): number {
  return reading === undefined ? 0 : reading.tally.size + 1;
}

/** Uuids to read again; undefined where all have to be. */
function changedSince(
  { changes, clock }: TalliesDeps,
  current: Reading | undefined,
): ReadonlySet<string> | undefined {
  if (current === undefined) return undefined;
  const age = clock.now() - current.at;
  if (age < 0 || age >= microsPerSecond) return undefined;
  return changes.since(current.position, (uuid) => current.tally.has(uuid));
}

async function readWhole(
  { db, clock, changes }: TalliesDeps,
  badgeKey: string,
): Promise<Reading | undefined> {
  const position = changes.position();
  const at = clock.now();
  return db.read(async (tx) => {
    const project = await findProjectByBadgeKey(tx, badgeKey);
    if (project === undefined) return undefined;
    const checks = await listTaggedStatuses(tx, project.id, at);
    return { projectId: project.id, tally: new Tally(checks), at, position };
  });
}

async function readSome(
  { db, clock, changes }: TalliesDeps,
  current: Reading,
  uuids: ReadonlySet<string>,
): Promise<void> {
  const position = changes.position();
  if (uuids.size > 0) {
    const { projectId } = current;
    const found = await db.read((tx) => listTaggedStatuses(tx, projectId, clock.now(), [...uuids]));
    for (const uuid of uuids) current.tally.remove(uuid);
    for (const check of found) current.tally.set(check);
  }
  current.position = position;
}
