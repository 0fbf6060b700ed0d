import type { CaIssuerName } from '@certloop/contracts';
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
import type { NamedIssuer } from '../authority/named-issuer.js';
import { type PointerSettings, pointersOf } from '../authority/pointers.js';

/** What signs ACME's certificates. */
export interface AcmeIssuer {
  /** Under which name the issuer is known. */
  readonly name: CaIssuerName;
  readonly certificate: Certificate;
  /** Every issuer that was opened beside the authority's root. */
  readonly opened: readonly NamedIssuer[];
  /** Certificates of issuers that the root and the alternate root signed. */
  readonly issued: readonly OwnCertificate[];
  /** What stands above a leaf up to each root, that root last; the first is the usual one. */
  readonly chains: readonly IssuerChain[];
  issue(request: Omit<IssueRequest, 'serialNumber'>): Promise<Buffer>;
}

/** A certificate of the authority's own. */
export interface OwnCertificate {
  readonly issuer: CaIssuerName;
  readonly der: Buffer;
}

export interface IssuerChain {
  /** PEM of the certificates between leaf and root; empty when the root itself signs. */
  readonly pem: string;
  readonly rootPem: string;
}

type Authority = Pick<CertificateAuthority, 'name' | 'issuer' | 'pointers' | 'serialNumbers'>;

/**
 * An intermediate below the authority's root, and the same key below a second root of its own as the alternate chain.
 * A root that allows no authority below it signs itself, without an alternate.
 */
export async function openAcmeIssuer(
  authority: Authority,
  { keyType, ...settings }: PointerSettings & { readonly keyType: AuthorityKeyType },
): Promise<AcmeIssuer> {
  const { issuer: root, serialNumbers } = authority;
  if (root.certificate.pathLength === 0) {
    const chains = [{ pem: '', rootPem: pemOf(root) }];
    return issuerOf(authority, { signer: authority, chains, opened: [], issued: [] });
  }
  const pair = await generateKeyPair(keyType);
  const alternateRoot = await openAlternateRoot(authority, keyType, settings);
  const certify = ({ issuer, pointers }: NamedIssuer) =>
    issueCertificate(issuer, {
      serialNumber: serialNumbers.next(),
      subjectDer: encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA Intermediate' }),
      spkiDer: exportSpki(pair.publicKey),
      notBefore: root.certificate.notBefore,
      notAfter: root.certificate.notAfter,
      authority: { pathLength: 0 },
      extensions: pointers,
    });
  const [certificateDer, alternateDer] = [await certify(authority), await certify(alternateRoot)];
  const issuer = createIssuer({ certificateDer, privateKey: pair.privateKey });
  const signer: NamedIssuer = {
    name: 'intermediate',
    issuer,
    pointers: pointersOf(settings, 'intermediate'),
  };
  return issuerOf(authority, {
    signer,
    chains: [
      { pem: formatPem(certificateLabel, certificateDer), rootPem: pemOf(root) },
      { pem: formatPem(certificateLabel, alternateDer), rootPem: pemOf(alternateRoot.issuer) },
    ],
    opened: [signer, alternateRoot],
    issued: [
      { issuer: 'root', der: certificateDer },
      { issuer: 'alternate-root', der: alternateDer },
    ],
  });
}

interface Opened extends Pick<AcmeIssuer, 'chains' | 'opened' | 'issued'> {
  readonly signer: NamedIssuer;
}

function issuerOf({ serialNumbers }: Authority, { signer, ...opened }: Opened): AcmeIssuer {
  const { name, issuer, pointers } = signer;
  return {
    ...opened,
    name,
    certificate: issuer.certificate,
    issue: (request) =>
      issueCertificate(issuer, {
        ...request,
        serialNumber: serialNumbers.next(),
        extensions: [...(request.extensions ?? []), ...pointers],
      }),
  };
}

async function openAlternateRoot(
  { issuer, serialNumbers }: Authority,
  keyKind: AuthorityKeyType,
  settings: PointerSettings,
): Promise<NamedIssuer> {
  const { notBefore, notAfter } = issuer.certificate;
  const material = await createRoot({
    keyKind,
    subject: { organization: 'CertLoop', commonName: 'CertLoop Dummy CA Alternate Root' },
    serialNumber: serialNumbers.next(),
    notBefore,
    notAfter,
  });
  const name = 'alternate-root';
  return { name, issuer: createIssuer(material), pointers: pointersOf(settings, name) };
}

const pemOf = ({ certificate }: Issuer): string => formatPem(certificateLabel, certificate.der);
