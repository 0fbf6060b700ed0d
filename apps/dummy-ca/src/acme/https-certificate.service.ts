import {
  certificateLabel,
  constraintFault,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
  noGeneralNames,
  parseIpAddress,
} from '@certloop/crypto';
import { type Clock, StartFailed } from '@certloop/server';
import type { CertificateAuthority } from '../authority/certificate-authority.service.js';
import { daySeconds, leafValidity } from '../authority/issuance-profile.js';

// Some programs refuse server certificates that last longer than this.
const validitySeconds = 825 * daySeconds;
const backdateSeconds = 60;

/**
 * PEM of a fresh key and of its certificate from the root, for the service itself under the given names. Throws
 * StartFailed when the root's name constraints refuse one.
 */
export async function makeHttpsCertificate(
  { issuer, serialNumbers, pointers }: Pick<CertificateAuthority, 'issuer' | 'serialNumbers' | 'pointers'>,
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly key: string; readonly cert: string; readonly der: Buffer }> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const isAddress = (name: string) => parseIpAddress(name) !== undefined;
  const subjectAltNames = {
    ...noGeneralNames,
    dnsNames: names.filter((name) => !isAddress(name)),
    ipAddresses: names.filter(isAddress),
  };
  const fault =
    issuer.nameConstraints && constraintFault(issuer.nameConstraints, { subject: [], subjectAltNames });
  if (fault !== undefined) throw new StartFailed(`DUMMY_CA_HTTPS_NAMES: ${fault}`);
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA' }),
    spkiDer: exportSpki(publicKey),
    ...leafValidity({ seconds: validitySeconds }, clock.now(), issuer.certificate, backdateSeconds),
    subjectAltNames,
    extensions: pointers,
  });
  return { key: exportPrivateKeyPem(privateKey), cert: formatPem(certificateLabel, der), der };
}
