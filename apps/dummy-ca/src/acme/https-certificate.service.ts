import {
  certificateLabel,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
  parseIpAddress,
} from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import type { CertificateAuthority } from '../authority/certificate-authority.service.js';
import { leafValidity } from '../authority/issuance-profile.js';

// Some programs refuse server certificates that last longer than this.
const validityDays = 825;

/** PEM of a fresh key and of its certificate from the root, for the service itself under the given names. */
export async function makeHttpsCertificate(
  { issuer, serialNumbers }: Pick<CertificateAuthority, 'issuer' | 'serialNumbers'>,
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly key: string; readonly cert: string }> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const isAddress = (name: string) => parseIpAddress(name) !== undefined;
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA' }),
    spkiDer: exportSpki(publicKey),
    ...leafValidity(validityDays, clock.now(), issuer.certificate),
    subjectAltNames: {
      dnsNames: names.filter((name) => !isAddress(name)),
      ipAddresses: names.filter(isAddress),
    },
  });
  return { key: exportPrivateKeyPem(privateKey), cert: formatPem(certificateLabel, der) };
}
