import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
  type KeyKind,
  type PermittedNames,
} from '@certloop/crypto';

/** What is asked of a CA that the service knows nothing of. */
export interface ForeignRequest {
  readonly dnsNames: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Kind of its key; P-256 when absent. */
  readonly keyKind?: KeyKind;
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
  /** What the CA may issue for; anything when absent. */
  readonly permittedNames?: PermittedNames;
}

const day = 86_400_000;

/** PEM texts of a certificate of a CA of its own, and of that CA's root. */
export async function foreignCertificate({
  dnsNames,
  notBefore,
  notAfter,
  keyKind = 'P-256',
  permittedNames,
  ...otherNames
}: ForeignRequest) {
  const root = await createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Foreign CA' },
      notBefore: new Date(notBefore.getTime() - 400 * day),
      notAfter: new Date(notAfter.getTime() + 400 * day),
      serialNumber: 1n,
      permittedNames,
    }),
  );
  const { publicKey, privateKey } = await generateKeyPair(keyKind);
  const der = await issueCertificate(root, {
    serialNumber: BigInt(`0x${crypto.randomUUID().replaceAll('-', '').slice(1)}`),
    // without a subject: the names say all (RFC 5280 §4.1.2.6)
    subjectDer: Buffer.of(0x30, 0),
    spkiDer: exportSpki(publicKey),
    notBefore,
    notAfter,
    subjectAltNames: { dnsNames: [...dnsNames], ...otherNames },
  });
  return {
    leafPem: formatPem(certificateLabel, der),
    keyPem: exportPrivateKeyPem(privateKey),
    rootPem: formatPem(certificateLabel, root.certificate.der),
  };
}

/** PEM text of a certificate for the host name that lasts from yesterday for 60 days. */
export async function foreignPem(hostname: string, now: Date): Promise<string> {
  const notBefore = new Date(now.getTime() - day);
  const notAfter = new Date(now.getTime() + 59 * day);
  return (await foreignCertificate({ dnsNames: [hostname], notBefore, notAfter })).leafPem;
}
