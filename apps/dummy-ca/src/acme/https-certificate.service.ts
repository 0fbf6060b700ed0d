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
import { daySeconds, leafValidity } from '../authority/issuance-profile.js';

// Some programs refuse server certificates that last longer than this.
const validitySeconds = 825 * daySeconds;
const backdateSeconds = 60;

/** PEM of a fresh key and of its certificate from the root, for the service itself under the given names. */
export async function makeHttpsCertificate(
  { issuer, serialNumbers, pointers }: Pick<CertificateAuthority, 'issuer' | 'serialNumbers' | 'pointers'>,
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly key: string; readonly cert: string; readonly der: Buffer }> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const isAddress = (name: string) => parseIpAddress(name) !== undefined;
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA' }),
    spkiDer: exportSpki(publicKey),
    ...leafValidity({ seconds: validitySeconds }, clock.now(), issuer.certificate, backdateSeconds),
    subjectAltNames: {
      dnsNames: names.filter((name) => !isAddress(name)),
      ipAddresses: names.filter(isAddress),
    },
    extensions: pointers,
  });
  return { key: exportPrivateKeyPem(privateKey), cert: formatPem(certificateLabel, der), der };
}
