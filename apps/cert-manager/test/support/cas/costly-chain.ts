import {
  certificateLabel,
  createIssuer,
  createRoot,
  encodeName,
  encodePermittedNames,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  issueCertificate,
  type PermittedNames,
} from '@certloop/crypto';

/** Of each certificate: nearly as many as a chain of ten has room for in 64 KiB. */
const names = 50;
const addresses = 70;

const nameConstraints = '2.5.29.30';

/**
 * PEM text of a valid chain of ten certificates, leaf and root included, for the host name. Each has many names and
 * addresses, which the name constraints of each authority above it allow only at their end.
 */
export async function costlyChain(hostname: string, now: Date): Promise<string> {
  const notBefore = new Date(now.getTime() - 86_400_000);
  const notAfter = new Date(now.getTime() + 60 * 86_400_000);
  const validity = { notBefore, notAfter };
  let serialNumber = 1n;
  let issuer = createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'CA 1' },
      ...validity,
      serialNumber,
      permittedNames: permittedOf(hostname),
    }),
  );
  const ders = [issuer.certificate.der];
  const issue = async (of: Issuer, commonName: string, isAuthority: boolean) => {
    const { publicKey, privateKey } = await generateKeyPair('P-256');
    serialNumber += 1n;
    const certificateDer = await issueCertificate(of, {
      serialNumber,
      subjectDer: encodeName({ commonName }),
      spkiDer: exportSpki(publicKey),
      ...validity,
      subjectAltNames: namesOf(hostname),
      ...(isAuthority && {
        authority: {},
        extensions: [
          { oid: nameConstraints, critical: true, value: encodePermittedNames(permittedOf(hostname)) },
        ],
      }),
    });
    ders.unshift(certificateDer);
    return { certificateDer, privateKey };
  };
  while (ders.length < 9) issuer = createIssuer(await issue(issuer, `CA ${ders.length + 1}`, true));
  await issue(issuer, hostname, false);
  return ders.map((der) => formatPem(certificateLabel, der)).join('');
}

function namesOf(hostname: string) {
  const dnsNames = Array.from({ length: names }, (_, n) => (n === 0 ? hostname : `${n}.${hostname}`));
  return { dnsNames, ipAddresses: Array.from({ length: addresses }, (_, n) => `10.0.0.${n}`) };
}

function permittedOf(hostname: string): PermittedNames {
  const others = Array.from({ length: names }, (_, n) => `${n}.other.example`);
  const ranges = Array.from({ length: addresses }, (_, n) => `10.1.${n}.0/24`);
  return { dnsNames: [...others, hostname], cidrs: [...ranges, '10.0.0.0/24'] };
}
