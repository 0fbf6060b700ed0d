import type { Fqdn, RenewalOwner } from '@certloop/contracts/browser';

/** Words for who renews a name. */
export const ownerWords: Readonly<Record<RenewalOwner, string>> = {
  certloop: 'CertLoop',
  acme_client: 'an ACME client',
  elsewhere: 'elsewhere',
  none: 'nothing known',
};

/** Who renews a name that CertLoop does not renew, in two words; nothing without a certificate. */
export function OtherOwner({ status }: Pick<Fqdn, 'status'>) {
  if (status?.certificate === undefined || status.renewedBy === 'certloop') return null;
  if (status.renewedBy === 'acme_client')
    return <span>by {status.acmeClient?.name ?? status.certificate.source}</span>;
  if (status.renewedBy === 'elsewhere') return <span>elsewhere</span>;
  return <span className="cl-extra">by nothing known</span>;
}
