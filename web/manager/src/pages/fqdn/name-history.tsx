import type { Csr, Fqdn } from '@certloop/contracts/browser';
import type { useList } from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type NameTab, nameTabs } from '../../names/name-tabs.js';
import { CertificatesTable } from './certificates-table.js';
import { CsrsTable } from './csrs-table.js';
import { NameLog } from './name-log.js';
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
