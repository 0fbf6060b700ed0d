/** FQDNs whose renewal is due and forbidden: how many, and the name of the first. */
export interface ForbiddenRenewals {
  readonly count: number;
  readonly first: string | undefined;
}

/** Report of what a run of the queue did and found. */
export interface RunReport {
  readonly renewed: number;
  readonly failed: readonly {
    readonly fqdn: string;
    readonly reason: string;
    readonly isLongExpired: boolean;
  }[];
  /** Renewals that ended by an error no one foresaw; they are tried again when their lease has lapsed. */
  readonly broken: number;
  /** Entries whose worker had vanished. */
  readonly lapsed: number;
  /** Why providers that entries wait for cannot be asked. */
  readonly obstacles: readonly string[];
  /** Entries that fail again and again. */
  readonly troubled: { readonly count: number; readonly first: string | undefined };
  /** Renewals that are due and forbidden by issuance policies, counted up to 1000. */
  readonly forbidden: ForbiddenRenewals;
  /** Whether the run left nothing that is due, but for what waits for a provider. */
  readonly isDone: boolean;
}

/** Whether the run needs no attention. A failure that will be retried soon does not count. */
export function hasSucceeded({ failed, broken, troubled, forbidden }: RunReport): boolean {
  return (
    broken === 0 &&
    troubled.count === 0 &&
    forbidden.count === 0 &&
    !failed.some(({ isLongExpired }) => isLongExpired)
  );
}

const maxNamed = 5;

/** The report in a few clauses for people. */
export function describeRun(report: RunReport): string {
  const { renewed, failed, broken, lapsed, obstacles, troubled, forbidden } = report;
  const named = failed
    .slice(0, maxNamed)
    .map(
      ({ fqdn, reason, isLongExpired }) =>
        `${fqdn}: ${reason}${isLongExpired ? ' (expired over 30 days ago)' : ''}`,
    );
  const more = failed.length > maxNamed ? [`and ${failed.length - maxNamed} more`] : [];
  return [
    `${renewed} renewed`,
    `${failed.length} failed${failed.length > 0 ? ` (${[...named, ...more].join('; ')})` : ''}`,
    ...(broken > 0 ? [`${broken} stopped by an unexpected error`] : []),
    ...(lapsed > 0 ? [`${lapsed} taken over from workers that stopped`] : []),
    ...(troubled.count > 0 ? [`${troubled.count} keep failing, the first is ${troubled.first}`] : []),
    ...(forbidden.count > 0
      ? [`${forbidden.count} forbidden by issuance policies, the first is ${forbidden.first}`]
      : []),
    ...obstacles.map((obstacle) => `renewals wait: ${obstacle}`),
  ].join(', ');
}
