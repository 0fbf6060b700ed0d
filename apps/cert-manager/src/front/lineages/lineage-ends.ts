/** Facts that decide whether a further order of a lineage is expected. */
export interface LineageEnds {
  /** When a person reported that the machine is gone. */
  readonly releasedAt: Date | null;
  readonly accountStatus: 'valid' | 'deactivated' | 'ended';
  /** Null if the client was deleted. */
  readonly clientName: string | null;
  /** An issued order of any lineage names the certificate as the one that it replaces (RFC 9773 §5). */
  readonly isReplaced: boolean;
}

/** Why no further order of a lineage is expected. */
export type LineageEnd = 'released' | 'replaced' | 'deactivated' | 'deleted';

/** Why no further order of a lineage is expected; undefined if one is. */
export function endOfLineage({
  releasedAt,
  accountStatus,
  clientName,
  isReplaced,
}: LineageEnds): LineageEnd | undefined {
  if (releasedAt !== null) return 'released';
  if (isReplaced) return 'replaced';
  if (clientName === null || accountStatus === 'ended') return 'deleted';
  return accountStatus === 'deactivated' ? 'deactivated' : undefined;
}
