import type { AuditLog } from '@certloop/contracts/browser';
import {
  background,
  type Column,
  countOf,
  Drawer,
  EmptyState,
  Icon,
  ListTable,
  queryOptions,
  serviceUrl,
  useDisplay,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { auditList, auditQueryOf } from '../../audit/audit-filter.js';
import { auditColumns } from '../../audit/audit-line.js';
import { still } from '../../changes/overview.js';
import { useRights } from '../../rights.js';
import { api } from '../../service.js';
import { AuditDetails } from './audit-details.js';
import { AuditFilters } from './audit-filters.js';
import { Clearings, ClearLog } from './clear-log.js';

const route = getRouteApi('/inside/audit');

type Query = ReturnType<typeof auditQueryOf>;

/** Shows what was done, by whom, and how it ended, the newest first. */
export function AuditPage() {
  useTitle('Audit log', 'manager');
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const query = auditQueryOf(filter, useDisplay().timeZone);
  const list = useList(still(auditList(query)));
  const [shown, show] = useState<AuditLog>();
  const { isAdmin: mayClear } = useRights();
  return (
    <>
      <div className="cl-title">
        <h1>Audit log</h1>
        <div className="cl-row">
          <Exports query={query} />
          {mayClear && <ClearLog />}
        </div>
      </div>
      <AuditFilters filter={filter} setFilter={(search) => void navigate({ search })} />
      <News query={query} list={list} />
      <ListTable
        list={list}
        label="Audit log"
        columns={columnsOf(show)}
        rowKey={({ id }) => id}
        noun="entry"
        nouns="entries"
        empty={
          <EmptyState title="There is no such entry">
            <p>The log shows every change to what you may see, and every refused attempt.</p>
          </EmptyState>
        }
      />
      {mayClear && <Clearings />}
      <Drawer title={shown?.action ?? ''} isOpen={shown !== undefined} close={() => show(undefined)}>
        {shown !== undefined && <AuditDetails entry={shown} />}
      </Drawer>
    </>
  );
}

/** Button that shows entries which came after the list was loaded: rows do not move while someone reads them. */
function News({
  query,
  list,
}: {
  readonly query: Query;
  readonly list: ReturnType<typeof useList<AuditLog>>;
}) {
  const { data, refetch, isFetching } = list.query;
  const loaded = data?.pages[0]?.total;
  const { data: now } = useQuery({
    // asked again after every change
    ...queryOptions(api.listAuditLogs, { query: { ...query, limit: '1' }, headers: background }),
    select: ({ total }) => total,
    enabled: loaded !== undefined,
  });
  const more = loaded === undefined || now === undefined ? 0 : now - loaded;
  // it was cleared
  useEffect(() => {
    if (more < 0 && !isFetching) void refetch();
  }, [more, isFetching, refetch]);
  return (
    <div role="status">
      {more > 0 && (
        <Button size="xs" variant="light" loading={isFetching} onClick={() => void refetch()}>
          Show {countOf(more, 'new entry', 'new entries')}
        </Button>
      )}
    </div>
  );
}

function columnsOf(show: (entry: AuditLog) => void): readonly Column<AuditLog>[] {
  return [
    ...auditColumns,
    {
      key: 'more',
      title: '',
      width: '7rem',
      cell: (entry) => (
        <Button size="xs" variant="default" onClick={() => show(entry)}>
          Details
        </Button>
      ),
    },
  ];
}

/** The entries that match, as files. */
function Exports({ query }: { readonly query: Query }) {
  const addressOf = (format: 'jsonl' | 'csv') =>
    `${serviceUrl()}/audit-logs/export?${new URLSearchParams({ ...query, format }).toString()}`;
  return (
    <div className="cl-row">
      {(['csv', 'jsonl'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          href={addressOf(format)}
          download
          variant="default"
          size="xs"
          leftSection={<Icon name="upload" size={16} />}
        >
          Export as {format === 'csv' ? 'CSV' : 'JSON Lines'}
        </Button>
      ))}
    </div>
  );
}
