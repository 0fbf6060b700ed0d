/** Remembers which checks this process has changed lately, each as soon as the change is committed. */
export interface CheckChanges {
  /** `isNew` says that the check was made. */
  note(uuid: string, isNew?: boolean): void;
  /** Where the notes end now. */
  position(): number;
  /** Checks noted since a position that are new or known to the caller; undefined when some notes are forgotten. */
  since(position: number, isKnown: (uuid: string) => boolean): ReadonlySet<string> | undefined;
}

// readers come by once a second, and no process takes more pings in that time
const maxNotes = 16_384;

export function createCheckChanges(): CheckChanges {
  const uuids: string[] = [];
  const areNew: boolean[] = [];
  let end = 0;
  return {
    note: (uuid, isNew = false) => {
      uuids[end % maxNotes] = uuid;
      areNew[end % maxNotes] = isNew;
      end += 1;
    },
    position: () => end,
    since: (position, isKnown) => {
      if (end - position > maxNotes) return undefined;
      const noted = new Set<string>();
      for (let place = position; place < end; place++) {
        const uuid = uuids[place % maxNotes] ?? '';
        if (areNew[place % maxNotes] === true || isKnown(uuid)) noted.add(uuid);
      }
      return noted;
    },
  };
}
