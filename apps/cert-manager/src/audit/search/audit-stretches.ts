/** Positions of the oldest and of the newest entry of the log. */
export interface AuditEnds {
  readonly first: number;
  readonly last: number;
}

/** Numbers of transactions of PostgreSQL: all below `oldest` have ended, none from `next` on has begun. */
export interface TransactionHorizon {
  readonly oldest: number;
  readonly next: number;
}

/** A stretch of the log: positions above `above`, up to `upTo`. */
export interface AuditStretch {
  readonly above: number;
  readonly upTo: number;
}

/** The log between its ends in stretches of `size` positions, in the order in which it is read. */
export function* auditStretches(
  { first, last }: AuditEnds,
  order: 'asc' | 'desc',
  size: number,
): Generator<AuditStretch, void, undefined> {
  if (order === 'asc') {
    for (let above = first - 1; above < last; above += size) {
      yield { above, upTo: Math.min(above + size, last) };
    }
    return;
  }
  for (let upTo = last; upTo >= first; upTo -= size) {
    yield { above: Math.max(upTo - size, first - 1), upTo };
  }
}
