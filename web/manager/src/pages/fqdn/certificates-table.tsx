import type { Certificate, Fqdn } from '@certloop/contracts/browser';
import {
  type Column,
  CopyText,
  dayOf,
  Icon,
  ListTable,
  listOptions,
  Moment,
  serviceUrl,
  useList,
  useNow,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { endOf } from '../../certificate-end.js';
import { CertificateState } from '../../certificate-state.js';
import { api } from '../../service.js';

/** The certificates of a name, the newest first. */
export function CertificatesTable({ fqdn }: { readonly fqdn: Fqdn }) {
  const now = useNow();
  const list = useCertificates(fqdn);
  const newest = list.rows?.[0];
  const columns: readonly Column<Certificate>[] = [
    {
      key: 'state',
      title: 'State',
      width: '8rem',
      narrow: 'beside',
      cell: (certificate) => (
        <CertificateState certificate={certificate} isReplaced={certificate !== newest} now={now} />
      ),
    },
    {
      key: 'issuer',
      title: 'Issuer',
      narrow: 'name',
      cell: (certificate) => <IssuerLink certificate={certificate} />,
    },
    {
      key: 'stored',
      title: 'Stored',
      width: '8rem',
      narrow: 'titled',
      cell: ({ createdAt }) => dayOf(createdAt),
    },
    {
      key: 'expires',
      title: 'Expires',
      width: '9rem',
      narrow: 'titled',
      cell: (certificate) => <Moment at={endOf(certificate)} />,
    },
    {
      key: 'take',
      title: '',
      width: '15rem',
      cell: (certificate) => <Take certificate={certificate} />,
    },
  ];
  return (
    <ListTable
      list={list}
      label="Certificates"
      columns={columns}
      rowKey={({ id }) => id}
      noun="certificate"
      empty={<p className="cl-dim">There is no certificate yet.</p>}
    />
  );
}

/** The certificates of a name, the newest first, page by page. */
function useCertificates({ id: fqdnId, spaceId }: Fqdn) {
  const input = { params: { spaceId, fqdnId }, query: { order: 'desc', limit: '50' } } as const;
  return useList(listOptions(api.listCertificates, input));
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
