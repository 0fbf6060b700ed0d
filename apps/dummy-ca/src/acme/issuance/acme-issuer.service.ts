import type { CaIssuerName } from '@certloop/contracts';
import {
  type Certificate,
  certificateLabel,
  createIssuer,
  createRoot,
  formatPem,
  type IssueRequest,
  issueCertificate,
  type NameConstraints,
} from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import type { NamedIssuer } from '../../authority/named-issuer.js';
import { pointersOf } from '../../authority/pointers.js';
import {
  type Authority,
  type IntermediateSource,
  issueIntermediate,
  loadIntermediate,
  makeIntermediate,
  pemOf,
} from './intermediate.service.js';

/** The issuer that signs certificates for ACME. */
export interface AcmeIssuer {
  /** Under which name the issuer is known. */
  readonly name: CaIssuerName;
  readonly certificate: Certificate;
  /** Of the root and the intermediate, as far as these have some. */
  readonly nameConstraints: readonly NameConstraints[];
  /** Every issuer that was opened in addition to the authority's root. */
  readonly opened: readonly NamedIssuer[];
  /** Certificates of issuers that the root and the alternate root signed. */
  readonly issued: readonly OwnCertificate[];
  /** The chains from a leaf to each root; the first is the default one. */
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

/**
 * An intermediate below the authority's root, and the same key below a second root of its own as the alternate chain.
 * A root that allows no authority below it signs itself, without an alternate. Throws StartFailed when the given
 * intermediate cannot be used.
 */
export async function openAcmeIssuer(
  authority: Authority,
  source: IntermediateSource,
  clock: Clock,
): Promise<AcmeIssuer> {
  const { issuer: root } = authority;
  const given = loadIntermediate(root, source, clock.now());
  if (given === undefined && root.certificate.pathLength === 0) {
    const chains = [{ pem: '', rootPem: pemOf(root) }];
    return issuerOf(authority, { signer: authority, chains, opened: [], issued: [] });
  }
  const issuer = given ?? (await makeIntermediate(authority, source.keyType));
  const signer: NamedIssuer = { name: 'intermediate', issuer, pointers: pointersOf(source, 'intermediate') };
  const alternateRoot = await openAlternateRoot(authority, source);
  const { nameDer, certificate } = issuer;
  const alternateDer = await issueIntermediate(authority, alternateRoot, nameDer, certificate.spkiDer);
  return issuerOf(authority, {
    signer,
    chains: [
      { pem: pemOf(issuer), rootPem: pemOf(root) },
      { pem: formatPem(certificateLabel, alternateDer), rootPem: pemOf(alternateRoot.issuer) },
    ],
    opened: [signer, alternateRoot],
    issued: [
      { issuer: 'root', der: certificate.der },
      { issuer: 'alternate-root', der: alternateDer },
    ],
  });
}

interface Opened extends Pick<AcmeIssuer, 'chains' | 'opened' | 'issued'> {
  readonly signer: NamedIssuer;
}

function issuerOf(authority: Authority, { signer, ...opened }: Opened): AcmeIssuer {
  const { serialNumbers, issuer: root } = authority;
  const { name, issuer, pointers } = signer;
  const constraints = new Set([root.nameConstraints, issuer.nameConstraints]);
  return {
    ...opened,
    name,
    nameConstraints: [...constraints].filter((each) => each !== undefined),
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
  source: IntermediateSource,
): Promise<NamedIssuer> {
  const { notBefore, notAfter } = issuer.certificate;
  const material = await createRoot({
    keyKind: source.keyType,
    subject: { organization: 'CertLoop', commonName: 'CertLoop Dummy CA Alternate Root' },
    serialNumber: serialNumbers.next(),
    notBefore,
    notAfter,
  });
  const name = 'alternate-root';
  return { name, issuer: createIssuer(material), pointers: pointersOf(source, name) };
}
