import { LRUCache } from 'lru-cache';
import type { Check } from '../checks/check.js';
import { findCheckByBadgeUuid } from '../checks/rows/checks.repository.js';
import { type Micros, microsPerSecond } from '../instants.js';
import type { TalliesDeps } from './tallies.store.js';

interface Reading {
  readonly check: Check;
  readonly at: Micros;
  position: number;
}

/**
 * Finds the check of a badge uuid, as it was within the last second, or at once where this process has changed it
 * since; undefined if there is none.
 */
export function createCheckBadges({ db, clock, changes }: TalliesDeps) {
  const readings = new LRUCache<string, Reading>({ max: 5000 });

  const isCurrent = (reading: Reading): boolean => {
    const age = clock.now() - reading.at;
    if (age < 0 || age >= microsPerSecond) return false;
    const position = changes.position();
    const { uuid } = reading.check;
    const changed = changes.since(reading.position, (noted) => noted === uuid);
    reading.position = position;
    return changed?.has(uuid) === false;
  };

  const read = async (badgeUuid: string): Promise<Check | undefined> => {
    const position = changes.position();
    const at = clock.now();
    const check = await db.read((tx) => findCheckByBadgeUuid(tx, badgeUuid));
    if (check !== undefined) readings.set(badgeUuid, { check, at, position });
    return check;
  };

  const underWay = new Map<string, Promise<Check | undefined>>();

  return async (badgeUuid: string): Promise<Check | undefined> => {
    for (;;) {
      const known = readings.get(badgeUuid);
      if (known !== undefined && isCurrent(known)) return known.check;
      const running = underWay.get(badgeUuid);
      if (running === undefined) break;
      // what it finds may be outdated by now
      await running.catch(() => undefined);
    }
    const reading = read(badgeUuid).finally(() => underWay.delete(badgeUuid));
    underWay.set(badgeUuid, reading);
    return reading;
  };
}
