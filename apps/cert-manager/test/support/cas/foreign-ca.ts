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
  /** Organization of the CA; none when absent. */
  readonly organization?: string;
  /** Names of its purposes; servers and clients when absent. */
  readonly extendedKeyUsage?: readonly string[];
  /** Whether it asserts the policy of domain validated certificates of public CAs. */
  readonly isPublic?: boolean;
}

// { { 2.23.140.1.2.1 } }
const publicPolicies = Buffer.from('300a3008060667810c010201', 'hex');

const day = 86_400_000;

/** PEM texts of a certificate of a CA of its own, and of that CA's root. */
export async function foreignCertificate({
  dnsNames,
  notBefore,
  notAfter,
  keyKind = 'P-256',
  permittedNames,
  organization,
  extendedKeyUsage,
  isPublic = false,
  ...otherNames
}: ForeignRequest) {
  const root = await createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Foreign CA', ...(organization !== undefined && { organization }) },
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
    ...(extendedKeyUsage !== undefined && { extendedKeyUsage }),
    ...(isPublic && { extensions: [{ oid: '2.5.29.32', critical: false, value: publicPolicies }] }),
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
