import type { Certificate, Fqdn } from '@certloop/contracts/browser';
import {
  type Column,
  CopyText,
  DataTable,
  dayOf,
  Icon,
  ListEnd,
  Loaded,
  Moment,
  StateChip,
  serviceUrl,
  useNow,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../service.js';

const pageSize = 50;

/** The certificates of a name, the newest first. */
export function CertificatesTable({ fqdn }: { readonly fqdn: Fqdn }) {
  const now = useNow();
  const [count, setCount] = useState(pageSize);
  const query = useCertificates(fqdn);
  const columns: readonly Column<Certificate>[] = [
    {
      key: 'state',
      title: 'State',
      width: '8rem',
      cell: (certificate) => (
        <State certificate={certificate} isNewest={certificate === query.data?.[0]} now={now} />
      ),
    },
    {
      key: 'issuer',
      title: 'Issuer',
      cell: (certificate) => <IssuerLink certificate={certificate} />,
    },
    { key: 'stored', title: 'Stored', width: '8rem', cell: ({ createdAt }) => dayOf(createdAt) },
    { key: 'expires', title: 'Expires', width: '9rem', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      key: 'take',
      title: '',
      width: '15rem',
      cell: (certificate) => <Take certificate={certificate} />,
    },
  ];
  return (
    <Loaded query={query}>
      {(certificates) =>
        certificates.length === 0 ? (
          <p className="cl-dim">There is no certificate yet.</p>
        ) : (
          <div className="cl-stack">
            <DataTable
              label="Certificates"
              columns={columns}
              rows={certificates.slice(0, count)}
              rowKey={({ id }) => id}
            />
            {certificates.length > pageSize && (
              <ListEnd
                shown={Math.min(count, certificates.length)}
                total={certificates.length}
                noun="certificate"
                more={certificates.length > count ? () => setCount(count + pageSize) : undefined}
                isLoadingMore={false}
              />
            )}
          </div>
        )
      }
    </Loaded>
  );
}

/** The certificates of a name, the newest first. */
function useCertificates(fqdn: Fqdn) {
  return useQuery<readonly Certificate[]>({
    queryKey: ['fqdns', fqdn.id, 'certificates'],
    queryFn: async ({ signal }) => {
      const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
      const { body } = await api.listCertificates({ params, signal });
      return body.toReversed();
    },
  });
}

function IssuerLink({ certificate }: { readonly certificate: Certificate }) {
  const { id: certId, spaceId, fqdnId, issuer } = certificate;
  return (
    <Link to="/spaces/$spaceId/fqdns/$fqdnId/certificates/$certId" params={{ spaceId, fqdnId, certId }}>
      {issuer}
    </Link>
  );
}

function Take({ certificate: { id, spaceId, fqdnId, pem } }: { readonly certificate: Certificate }) {
  return (
    <div className="cl-row">
      <Button
        component="a"
        // the service records who downloaded it
        href={`${serviceUrl()}/spaces/${spaceId}/fqdns/${fqdnId}/certificates/${id}/download`}
        download
        size="xs"
        variant="default"
        leftSection={<Icon name="certificate" size={16} />}
      >
        Download
      </Button>
      <CopyText text={pem} />
    </div>
  );
}

function State({
  certificate,
  isNewest,
  now,
}: {
  readonly certificate: Certificate;
  readonly isNewest: boolean;
  readonly now: number;
}) {
  if (certificate.revokedAt !== undefined) {
    return (
      <StateChip tone="bad" shape="triangle">
        revoked
      </StateChip>
    );
  }
  if (!isNewest) {
    return (
      <StateChip tone="idle" shape="circle">
        replaced
      </StateChip>
    );
  }
  const hasExpired = Date.parse(certificate.expiresAt) <= now;
  return (
    <StateChip tone={hasExpired ? 'bad' : 'ok'} shape={hasExpired ? 'octagon' : 'check'}>
      {hasExpired ? 'expired' : 'valid'}
    </StateChip>
  );
}
