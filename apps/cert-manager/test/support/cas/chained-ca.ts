import {
  buildCsr,
  certificateLabel,
  createIssuer,
  createRoot,
  encodeName,
  encodePointers,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  issueCertificate,
  parseCsr,
} from '@certloop/crypto';

const day = 86_400_000;

/** An intermediate of a chain. */
export interface Link {
  readonly name: string;
  /** Days from now; 1000 when absent. */
  readonly endsIn?: number;
  readonly pathLength?: number;
  /** Where its own certificate can be fetched (RFC 5280 §4.2.2.1), named in what it issues. */
  readonly caIssuers?: string;
}

/** How a leaf differs from a usual one. */
export interface LeafOptions {
  /** Days from now; 90 when absent. */
  readonly endsIn?: number;
  readonly isAuthority?: boolean;
}

/** A CA with intermediates. */
export interface ChainedCa {
  /** PEM of the intermediates, the issuer of the leaf first. */
  readonly intermediates: readonly string[];
  /** PEM of another certificate of the issuer of leaves, which lasts for 2000 days. */
  readonly renewed: string;
  readonly rootPem: string;
  /** PEM of a leaf for the CSR. */
  sign(csrDer: Buffer, options?: LeafOptions): Promise<string>;
  /** PEM of a leaf with a key of its own. */
  leafFor(hostname: string, options?: LeafOptions): Promise<string>;
}

/** A CA whose intermediates are given from the root downwards, at the moment `now`. */
export async function createChainedCa(now: Date, links: readonly Link[]): Promise<ChainedCa> {
  const inDays = (days: number) => new Date(now.getTime() + days * day);
  const root = createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Chained Root' },
      notBefore: inDays(-2000),
      notAfter: inDays(4000),
      serialNumber: 1n,
    }),
  );
  let issuer: Issuer = root;
  let caIssuers: string | undefined;
  let serialNumber = 2n;
  const intermediates: string[] = [];
  for (const link of links) {
    const { privateKey, publicKey } = await generateKeyPair('P-256');
    const certify = (notAfter: Date) =>
      issueCertificate(issuer, {
        serialNumber: serialNumber++,
        subjectDer: encodeName({ commonName: link.name }),
        spkiDer: exportSpki(publicKey),
        notBefore: inDays(-1000),
        notAfter,
        authority: link.pathLength === undefined ? {} : { pathLength: link.pathLength },
        extensions: encodePointers({ issuer: caIssuers }),
      });
    intermediates.unshift(formatPem(certificateLabel, await certify(inDays(link.endsIn ?? 1000))));
    // an issuer refuses to issue for longer than it lasts itself, so what signs has more time
    issuer = createIssuer({ certificateDer: await certify(inDays(2000)), privateKey });
    caIssuers = link.caIssuers;
  }
  const sign: ChainedCa['sign'] = async (csrDer, { endsIn = 90, isAuthority = false } = {}) => {
    const { subjectDer, spkiDer, subjectAltNameDer } = parseCsr(csrDer);
    const der = await issueCertificate(issuer, {
      serialNumber: BigInt(`0x${crypto.randomUUID().replaceAll('-', '').slice(1)}`),
      ...{ subjectDer, spkiDer, subjectAltNameDer },
      notBefore: inDays(-1),
      notAfter: inDays(endsIn),
      extensions: encodePointers({ issuer: caIssuers }),
      ...(isAuthority && { authority: {} }),
    });
    return formatPem(certificateLabel, der);
  };
  const leafFor: ChainedCa['leafFor'] = async (hostname, options) => {
    const { privateKey } = await generateKeyPair('P-256');
    return sign((await buildCsr({ privateKey, dnsNames: [hostname] })).der, options);
  };
  const renewed = formatPem(certificateLabel, issuer.certificate.der);
  return {
    intermediates,
    renewed,
    rootPem: formatPem(certificateLabel, root.certificate.der),
    sign,
    leafFor,
  };
}
