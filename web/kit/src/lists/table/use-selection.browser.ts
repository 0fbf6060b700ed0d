import { useState } from 'react';

/** Rows of a list that a user has chosen. */
export interface Selection {
  /** Keys of the chosen rows that are loaded. */
  readonly keys: ReadonlySet<string>;
  /** Whether all rows that match are chosen, also those that are not loaded. */
  readonly isWhole: boolean;
  readonly count: number;
  readonly toggle: (key: string) => void;
  /** Chooses all loaded rows, or none if all of them or all that match are chosen. */
  readonly toggleAll: () => void;
  readonly selectWhole: () => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/**
 * The selection in a list with these keys; a list with another name, such as another filter, begins with none. `unfit`
 * are keys of loaded rows that do not match any more, so they are not chosen with all that match.
 */
export function useSelection(
  loaded: readonly string[],
  listName: string,
  unfit: ReadonlySet<string> = none,
): Selection {
  const [chosen, choose] = useState({ listName, keys: none, isWhole: false });
  const isOurs = chosen.listName === listName;
  const isWhole = isOurs && chosen.isWhole;
  // what left the list is chosen no more
  const keys = isWhole
    ? new Set(loaded.filter((key) => !unfit.has(key)))
    : new Set(isOurs ? loaded.filter((key) => chosen.keys.has(key)) : []);
  const set = (next: ReadonlySet<string>, whole = false) => choose({ listName, keys: next, isWhole: whole });
  return {
    keys,
    isWhole,
    count: keys.size,
    toggle: (key) => {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      set(next);
    },
    toggleAll: () => set(isWhole || keys.size === loaded.length ? none : new Set(loaded)),
    selectWhole: () => set(none, true),
    clear: () => set(none),
  };
}
