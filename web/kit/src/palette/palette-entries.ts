/** Something that the palette leads to. */
export interface PaletteEntry {
  /** Unique among the entries. */
  readonly key: string;
  readonly label: string;
  /** Kind of the entry, such as `page` or the space of a name. */
  readonly detail: string;
  /** Page of the console, such as `/spaces`; absent for what is done here. */
  readonly path?: string;
  readonly run?: () => void;
}

/** The entries whose label has every word of the text, those that begin with it first. */
export function matchingEntries<Entry extends Pick<PaletteEntry, 'label'>>(
  entries: readonly Entry[],
  text: string,
): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  const matches = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = ({ label }: Entry) => label.toLowerCase().startsWith(wanted);
  return [...matches.filter(begins), ...matches.filter((entry) => !begins(entry))];
}

/** The place after a step up or down, round the ends. */
export function placeAfter(place: number, by: number, count: number): number {
  return count === 0 ? 0 : (place + by + count) % count;
}
