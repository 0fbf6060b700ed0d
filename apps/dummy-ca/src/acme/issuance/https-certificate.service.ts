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
import type { CertificateAuthority } from '../../authority/certificate-authority.service.js';
import { daySeconds, leafValidity } from '../../authority/issuance-profile.js';

// Some programs refuse server certificates that last longer than this.
const validitySeconds = 825 * daySeconds;
const backdateSeconds = 60;

/**
 * PEM of a fresh key and of its certificate from the root, for the service itself under the given names; those that
 * the root's name constraints refuse are omitted. Throws StartFailed when they refuse all.
 */
export async function makeHttpsCertificate(
  { issuer, serialNumbers, pointers }: Pick<CertificateAuthority, 'issuer' | 'serialNumbers' | 'pointers'>,
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly key: string; readonly cert: string; readonly der: Buffer }> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const { nameConstraints } = issuer;
  const faultOf = (name: string) =>
    nameConstraints && constraintFault(nameConstraints, { subject: [], subjectAltNames: namesOf([name]) });
  const allowed = names.filter((name) => faultOf(name) === undefined);
  const [refused] = names;
  if (allowed.length === 0 && refused !== undefined)
    throw new StartFailed(`DUMMY_CA_HTTPS_NAMES: ${faultOf(refused)}`);
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA' }),
    spkiDer: exportSpki(publicKey),
    ...leafValidity({ seconds: validitySeconds }, clock.now(), issuer.certificate, backdateSeconds),
    subjectAltNames: namesOf(allowed),
    extensions: pointers,
  });
  return { key: exportPrivateKeyPem(privateKey), cert: formatPem(certificateLabel, der), der };
}

function namesOf(names: readonly string[]) {
  const isAddress = (name: string) => parseIpAddress(name) !== undefined;
  return {
    ...noGeneralNames,
    dnsNames: names.filter((name) => !isAddress(name)),
    ipAddresses: names.filter(isAddress),
  };
}
