import { type Certificate, type Csr, publicKeysEqual } from '@certloop/crypto';

type Named = Pick<Csr, 'spkiDer' | 'subjectAltNames'>;
type Judged = Named & Pick<Certificate, 'notBefore' | 'notAfter'>;

/** Facts that the check needs in addition to certificate and CSR. */
export interface RenewalMoment {
  readonly now: Date;
  /** When its renewal is planned; undefined where there is no plan. */
  readonly renewAt: Date | undefined;
}

/** Whether a certificate is of the CSR's key and names, and not yet due: at two thirds of its life without a plan. */
export function fitsCsr(certificate: Judged, csr: Named, { now, renewAt }: RenewalMoment): boolean {
  const { notBefore, notAfter } = certificate;
  const twoThirds = new Date(notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
  const isDue = now >= (renewAt ?? twoThirds) || now >= notAfter;
  return !isDue && publicKeysEqual(certificate.spkiDer, csr.spkiDer) && hasNamesOf(certificate, csr);
}

function hasNamesOf(certificate: Named, csr: Named): boolean {
  const namesOf = ({ subjectAltNames: { dnsNames, ipAddresses } }: Named) =>
    [...new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()))].sort().join();
  // a CSR without alternative names asks for its common name alone
  const asked = namesOf(csr);
  return asked === '' || asked === namesOf(certificate);
}
