/** Remembers which checks this process has changed lately, each as soon as the change is committed. */
export interface CheckChanges {
  /** `isNew` says that the check was made. */
  note(uuid: string, isNew?: boolean): void;
  /** Where the notes end now. */
  position(): number;
  /** Calls `visit` with each note since a position; false when some of them are forgotten. */
  visitSince(position: number, visit: (uuid: string, isNew: boolean) => void): boolean;
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
    visitSince: (position, visit) => {
      if (end - position > maxNotes) return false;
      for (let place = position; place < end; place++) {
        visit(uuids[place % maxNotes] ?? '', areNew[place % maxNotes] ?? false);
      }
      return true;
    },
  };
}
