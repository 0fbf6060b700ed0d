import { InvalidInput } from '@certloop/contracts';
import {
  type Certificate,
  certificateLabel,
  createIssuer,
  createRoot,
  encodeName,
  exportSpki,
  formatPem,
  generateKeyPair,
  type IssueRequest,
  type Issuer,
  issueCertificate,
} from '@certloop/crypto';
import type { CertificateAuthority } from '../authority/certificate-authority.service.js';
import type { AuthorityKeyType } from '../authority/issuance-profile.js';

/** What signs ACME's certificates. */
export interface AcmeIssuer {
  readonly certificate: Certificate;
  /** What stands above a leaf up to each root, that root last; the first is the usual one. */
  readonly chains: readonly IssuerChain[];
  issue(request: Omit<IssueRequest, 'serialNumber'>): Promise<Buffer>;
}

export interface IssuerChain {
  /** PEM of the certificates between leaf and root; empty when the root itself signs. */
  readonly pem: string;
  readonly rootPem: string;
}

type Authority = Pick<CertificateAuthority, 'issuer' | 'serialNumbers'>;

/**
 * An intermediate below the authority's root, and the same key below a second root of its own as the alternate chain.
 * A root that allows no authority below it signs itself, without an alternate.
 */
export async function openAcmeIssuer(authority: Authority, keyType: AuthorityKeyType): Promise<AcmeIssuer> {
  const { issuer: root, serialNumbers } = authority;
  if (root.certificate.pathLength === 0)
    return issuerOf(authority, root, [{ pem: '', rootPem: pemOf(root) }]);
  const pair = await generateKeyPair(keyType);
  const alternateRoot = await openAlternateRoot(authority, keyType);
  const certificates = await Promise.all(
    [root, alternateRoot].map((above) =>
      issueCertificate(above, {
        serialNumber: serialNumbers.next(),
        subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA Intermediate' }),
        spkiDer: exportSpki(pair.publicKey),
        notBefore: root.certificate.notBefore,
        notAfter: root.certificate.notAfter,
        authority: { pathLength: 0 },
      }),
    ),
  );
  const [certificateDer, alternateDer] = certificates;
  if (certificateDer === undefined || alternateDer === undefined) throw new InvalidInput('no intermediate');
  const intermediate = createIssuer({ certificateDer, privateKey: pair.privateKey });
  return issuerOf(authority, intermediate, [
    { pem: formatPem(certificateLabel, certificateDer), rootPem: pemOf(root) },
    { pem: formatPem(certificateLabel, alternateDer), rootPem: pemOf(alternateRoot) },
  ]);
}

function issuerOf({ serialNumbers }: Authority, issuer: Issuer, chains: readonly IssuerChain[]): AcmeIssuer {
  return {
    certificate: issuer.certificate,
    chains,
    issue: (request) => issueCertificate(issuer, { ...request, serialNumber: serialNumbers.next() }),
  };
}

async function openAlternateRoot(
  { issuer, serialNumbers }: Authority,
  keyKind: AuthorityKeyType,
): Promise<Issuer> {
  const { notBefore, notAfter } = issuer.certificate;
  const material = await createRoot({
    keyKind,
    subject: { organization: 'CertLoop', commonName: 'CertLoop Dummy CA Alternate Root' },
    serialNumber: serialNumbers.next(),
    notBefore,
    notAfter,
  });
  return createIssuer(material);
}

const pemOf = ({ certificate }: Issuer): string => formatPem(certificateLabel, certificate.der);
