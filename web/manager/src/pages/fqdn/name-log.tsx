import type { AuditLog, Fqdn } from '@certloop/contracts/browser';
import { type Column, exactTime, ListTable, useList } from '@certloop/web-kit';
import { loadAudit } from '../../audit/audit-filter.js';
import { AuditLine, AuditOutcome } from '../../audit/audit-line.js';

const columns: readonly Column<AuditLog>[] = [
  { key: 'at', title: 'Time', width: '15rem', cell: ({ timestamp }) => exactTime(timestamp) },
  { key: 'what', title: 'What was done', cell: (entry) => <AuditLine entry={entry} /> },
  { key: 'outcome', title: 'Outcome', width: '8rem', cell: (entry) => <AuditOutcome entry={entry} /> },
];

/** Shows what was done with a name and what belongs to it. */
export function NameLog({ fqdn: { id, spaceId, fqdn } }: { readonly fqdn: Fqdn }) {
  const list = useList<AuditLog>(['fqdns', id, 'log'], (cursor, signal) =>
    // entries of its certificates and CSRs have its name in their details
    loadAudit({ spaceId, q: `"${fqdn}"` }, cursor, signal),
  );
  return (
    <ListTable
      list={list}
      label="Audit log of this name"
      columns={columns}
      rowKey={(entry) => entry.id}
      noun="entry"
      nouns="entries"
      empty={<p className="cl-dim">There is no entry.</p>}
    />
  );
}
