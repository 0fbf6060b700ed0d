import type { RenewalQueueEntry } from '@certloop/contracts/browser';
import {
  type Column,
  countText,
  DataTable,
  hostText,
  Loaded,
  LongName,
  Moment,
  MovedRows,
  useSteadyRows,
  WaitingTable,
} from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { useRights } from '../../rights.js';
import { useNextRenewals } from './dashboard-queries.js';

export const maxNextRenewals = 10;

const columns: readonly Column<RenewalQueueEntry>[] = [
  {
    key: 'fqdn',
    title: 'Name',
    cell: ({ spaceId, fqdnId, fqdn }) => (
      <Link
        to="/spaces/$spaceId/fqdns/$fqdnId"
        params={{ spaceId, fqdnId }}
        aria-label={fqdn && hostText(fqdn)}
      >
        <LongName>{fqdn ?? 'a deleted name'}</LongName>
      </Link>
    ),
  },
  { key: 'at', title: 'When', width: '8rem', cell: ({ scheduledAt }) => <Moment at={scheduledAt} /> },
  {
    key: 'try',
    title: 'Try',
    width: '4rem',
    cell: ({ attempt = 1 }) => (attempt > 1 ? attempt : null),
  },
];

/** The renewals that run next. */
export function NextRenewalsCard({
  total,
}: {
  /** How many names there are; undefined until that is known. */
  readonly total: number | undefined;
}) {
  const next = useNextRenewals(maxNextRenewals, total !== undefined);
  const rowsThen = Math.min(maxNextRenewals, total ?? maxNextRenewals);
  const {
    rows = [],
    moved,
    sortAnew,
  } = useSteadyRows(
    next,
    { rows: next.data?.rows, hasMore: false },
    { keyOf: ({ id }) => id, subject: JSON.stringify(useRights()) },
  );
  return (
    <section className="cl-panel" aria-label="Next renewals">
      <div className="cl-title">
        <h2>Next renewals</h2>
        {next.data?.total !== undefined && next.data.total > rows.length && (
          <Link to="/renewals">{`All ${countText(next.data.total)} renewals`}</Link>
        )}
      </div>
      <Loaded query={next} waiting={<WaitingTable columns={columns} rows={rowsThen} />}>
        {() =>
          rows.length === 0 ? (
            <p className="cl-dim">No renewal is planned.</p>
          ) : (
            <>
              <MovedRows moved={moved} sortAnew={sortAnew} />
              <DataTable label="Next renewals" columns={columns} rows={rows} rowKey={({ id }) => id} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
