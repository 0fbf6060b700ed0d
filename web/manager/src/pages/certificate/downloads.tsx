import type { CertificateDetail, CertificateFormat } from '@certloop/contracts/browser';
import { CopyText, Icon, serviceUrl } from '@certloop/web-kit';
import { Button } from '@mantine/core';

const forms: readonly (readonly [format: CertificateFormat, label: string])[] = [
  ['fullchain', 'Certificate and chain (PEM)'],
  ['leaf', 'Certificate alone (PEM)'],
  ['chain', 'Chain alone (PEM)'],
  ['der', 'Certificate (DER)'],
  ['p7b', 'PKCS #7'],
];

/** The files of a certificate; the service records who downloads one. */
export function Downloads({ certificate }: { readonly certificate: CertificateDetail }) {
  const { spaceId, fqdnId, id, chain, pem } = certificate;
  const path = `${serviceUrl()}/spaces/${spaceId}/fqdns/${fqdnId}/certificates/${id}/download`;
  // the service has no file of a chain without intermediates
  const offered = forms.filter(([format]) => format !== 'chain' || chain.length > 0);
  return (
    <section className="cl-panel" aria-label="Downloads">
      <h2>Download</h2>
      <div className="cl-stack">
        {offered.map(([format, label]) => (
          <Button
            key={format}
            component="a"
            href={`${path}?format=${format}`}
            download
            variant={format === 'fullchain' ? 'filled' : 'default'}
            justify="start"
            leftSection={<Icon name="certificate" />}
          >
            {label}
          </Button>
        ))}
        <div className="cl-row">
          <CopyText text={pem} label="Copy the PEM" />
        </div>
      </div>
    </section>
  );
}
