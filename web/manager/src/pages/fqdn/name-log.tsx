import type { AuditLog, Fqdn } from '@certloop/contracts/browser';
import { type Column, DataTable, exactTime, Loaded } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../service.js';

const maxEntries = 20;

const columns: readonly Column<AuditLog>[] = [
  { key: 'at', title: 'Time', width: '15rem', cell: ({ timestamp }) => exactTime(timestamp) },
  { key: 'who', title: 'By', width: '12rem', cell: ({ username }) => username },
  { key: 'what', title: 'Action', cell: ({ action }) => action },
  {
    key: 'outcome',
    title: 'Outcome',
    width: '8rem',
    cell: ({ details }) => String(details['outcome'] ?? 'success'),
  },
];

/** What was done with a name and what belongs to it, loaded once someone opens it, as the log may be long. */
export function NameLog({ fqdn }: { readonly fqdn: Fqdn }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery<readonly AuditLog[]>({
    queryKey: ['fqdns', fqdn.id, 'log'],
    queryFn: async ({ signal }) => {
      // entries of its certificates and CSRs have its name in their details
      const asked = { spaceId: fqdn.spaceId, q: `"${fqdn.fqdn}"`, limit: String(maxEntries) };
      return (await api.listAuditLogs({ query: asked, signal })).body.logs;
    },
    enabled: isOpen,
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Audit log of this name</summary>
      {isOpen && (
        <Loaded query={query}>
          {(entries) =>
            entries.length === 0 ? (
              <p className="cl-dim">There is no entry.</p>
            ) : (
              <>
                <DataTable
                  label="Audit log of this name"
                  columns={columns}
                  rows={entries}
                  rowKey={({ id }) => id}
                />
                {entries.length === maxEntries && (
                  <p className="cl-dim">These are the last {maxEntries} entries.</p>
                )}
              </>
            )
          }
        </Loaded>
      )}
    </details>
  );
}
