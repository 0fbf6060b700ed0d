import type { AuditLog, Fqdn } from '@certloop/contracts/browser';
import { type Column, exactTime, ListTable, showing, useList } from '@certloop/web-kit';
import { auditList } from '../../audit/audit-filter.js';
import { AuditLine, AuditOutcome } from '../../audit/audit-line.js';
import { fqdnResource } from '../../resources.js';

const columns: readonly Column<AuditLog>[] = [
  { key: 'at', title: 'Time', width: '15rem', cell: ({ timestamp }) => exactTime(timestamp) },
  { key: 'what', title: 'What was done', cell: (entry) => <AuditLine entry={entry} /> },
  { key: 'outcome', title: 'Outcome', width: '8rem', cell: (entry) => <AuditOutcome entry={entry} /> },
];

/** Shows what was done with a name and what belongs to it. */
export function NameLog({ fqdn: { id, spaceId, fqdn } }: { readonly fqdn: Fqdn }) {
  // entries of its certificates and CSRs have its name in their details
  const entries = auditList({ spaceId, q: `"${fqdn}"` });
  const list = useList(showing(entries, [fqdnResource(spaceId, id)]));
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
