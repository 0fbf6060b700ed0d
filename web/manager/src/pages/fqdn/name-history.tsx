import type { Csr, Fqdn } from '@certloop/contracts/browser';
import { type Column, CopyText, exactTime, ListTable, showing, useList } from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { auditList } from '../../audit/audit-filter.js';
import { auditColumns } from '../../audit/audit-line.js';
import { namesOf } from '../../csrs/csr-facts.js';
import { type NameTab, nameTabs } from '../../names/name-tabs.js';
import { fqdnResource } from '../../resources.js';
import { CertificatesTable } from './certificates-table.js';
import { RequestsTable } from './requests.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId');

const titles: Readonly<Record<NameTab, string>> = {
  certificates: 'Certificates',
  csrs: 'CSRs',
  requests: 'Requests',
  log: 'Audit log',
};

interface HistoryProps {
  readonly fqdn: Fqdn;
  readonly csrs: ReturnType<typeof useList<Csr>>;
}

/** All that belongs to a name so far, each kind in a tab, which the address names and which is loaded when opened. */
export function NameHistory({ fqdn, csrs }: HistoryProps) {
  const { tab = 'certificates', job } = route.useSearch();
  return (
    <div className="cl-stack">
      <nav className="cl-tabs" aria-label="History of the name">
        {nameTabs.map((one) => (
          <Link
            key={one}
            to="/spaces/$spaceId/fqdns/$fqdnId"
            params={{ spaceId: fqdn.spaceId, fqdnId: fqdn.id }}
            search={{ ...(job !== undefined && { job }), ...(one !== 'certificates' && { tab: one }) }}
            activeOptions={{ exact: true }}
            resetScroll={false}
            aria-current={one === tab ? 'page' : undefined}
          >
            {titles[one]}
          </Link>
        ))}
      </nav>
      {tab === 'certificates' && <CertificatesTable fqdn={fqdn} />}
      {tab === 'csrs' && <CsrsTable csrs={csrs} />}
      {tab === 'requests' && <RequestsTable fqdn={fqdn} />}
      {tab === 'log' && <NameLog fqdn={fqdn} />}
    </div>
  );
}

const csrColumns: readonly Column<Csr>[] = [
  { key: 'stored', title: 'Stored', width: '15rem', cell: ({ createdAt }) => exactTime(createdAt) },
  {
    key: 'key',
    title: 'Key',
    width: '10rem',
    cell: ({ publicKeyAlgorithm, keySize }) => `${publicKeyAlgorithm}, ${keySize} bits`,
  },
  { key: 'names', title: 'Names', cell: (csr) => namesOf(csr).join(', ') },
  { key: 'copy', title: '', width: '7rem', cell: ({ csrPem }) => <CopyText text={csrPem} /> },
];

/** The CSRs of a name, the newest first. */
function CsrsTable({ csrs }: { readonly csrs: ReturnType<typeof useList<Csr>> }) {
  return (
    <ListTable
      list={csrs}
      label="CSRs"
      columns={csrColumns}
      rowKey={({ id }) => id}
      noun="CSR"
      empty={<p className="cl-dim">No CSR is stored yet.</p>}
    />
  );
}

/** Shows what was done with a name and what belongs to it. */
function NameLog({ fqdn: { id, spaceId, fqdn } }: { readonly fqdn: Fqdn }) {
  // entries of its certificates and CSRs have its name in their details
  const entries = auditList({ spaceId, q: `"${fqdn}"` });
  const list = useList(showing(entries, [fqdnResource(spaceId, id)]));
  return (
    <ListTable
      list={list}
      label="Audit log of this name"
      columns={auditColumns}
      rowKey={(entry) => entry.id}
      noun="entry"
      nouns="entries"
      empty={<p className="cl-dim">There is no entry.</p>}
    />
  );
}
