/** Lineages of an FQDN as they are stored with its status. */
export interface StoredLineages {
  readonly count: number;
  /** Newest certificates of the worst lineages, the worst first. */
  readonly certificateIds: readonly string[];
}

const maxStored = 4;

/** Text of ids and how many there are in all; null without any. The first id has 36 characters, by which SQL finds it. */
export function writeLineages(certificateIds: readonly string[]): string | null {
  if (certificateIds.length === 0) return null;
  return [...certificateIds.slice(0, maxStored), certificateIds.length].join(' ');
}

/** Returns what `writeLineages` wrote; undefined for null. */
export function readStoredLineages(text: string | null): StoredLineages | undefined {
  if (text === null) return undefined;
  const certificateIds = text.split(' ');
  return { count: Number(certificateIds.pop()), certificateIds };
}
