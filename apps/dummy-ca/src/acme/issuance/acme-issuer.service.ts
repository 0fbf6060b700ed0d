import { AppError, type CaIssuerName, InvalidInput } from '@certloop/contracts';
import {
  type Certificate,
  certificateLabel,
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  type IssueRequest,
  type Issuer,
  type IssuerMaterial,
  isIssuedBy,
  issueCertificate,
  keyIdentifier,
  loadIssuer,
  type NameConstraints,
} from '@certloop/crypto';
import { type Clock, StartFailed } from '@certloop/server';
import type { CertificateAuthority } from '../../authority/certificate-authority.service.js';
import type { AuthorityKeyType } from '../../authority/issuance-profile.js';
import type { NamedIssuer } from '../../authority/named-issuer.js';
import { type PointerSettings, pointersOf } from '../../authority/pointers.js';

/** The issuer that signs certificates for ACME. */
export interface AcmeIssuer {
  /** Under which name the issuer is known. */
  readonly name: CaIssuerName;
  readonly certificate: Certificate;
  /** Of the root and the intermediate, as far as these have some. */
  readonly nameConstraints: readonly NameConstraints[];
  /** Every issuer that was opened beside the authority's root. */
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

type Authority = Pick<CertificateAuthority, 'name' | 'issuer' | 'pointers' | 'serialNumbers'>;

/** Source of the intermediate: PEM of its key and certificate, or the type of the key to generate. */
export interface IntermediateSource extends PointerSettings {
  readonly intermediateKeyPem: string | undefined;
  readonly intermediateCertificatePem: string | undefined;
  readonly keyType: AuthorityKeyType;
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
  const alternateDer = await certify(authority, alternateRoot, nameDer, certificate.spkiDer);
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

async function makeIntermediate(authority: Authority, keyType: AuthorityKeyType): Promise<Issuer> {
  return createIssuer(await intermediateMaterial(authority, keyType));
}

async function intermediateMaterial(
  authority: Authority,
  keyType: AuthorityKeyType,
): Promise<IssuerMaterial> {
  const { privateKey, publicKey } = await generateKeyPair(keyType);
  const nameDer = encodeName({ organization: 'CertLoop', commonName: 'CertLoop Dummy CA Intermediate' });
  const certificateDer = await certify(authority, authority, nameDer, exportSpki(publicKey));
  return { certificateDer, privateKey };
}

/** PEM of a new intermediate below the root, for the state; undefined where the root allows none. */
export async function makeIntermediatePems(
  authority: Authority,
  keyType: AuthorityKeyType,
): Promise<IntermediatePems | undefined> {
  if (authority.issuer.certificate.pathLength === 0) return undefined;
  const { privateKey, certificateDer } = await intermediateMaterial(authority, keyType);
  return {
    intermediateKeyPem: exportPrivateKeyPem(privateKey),
    intermediateCertificatePem: formatPem(certificateLabel, certificateDer),
  };
}

interface IntermediatePems {
  readonly intermediateKeyPem: string;
  readonly intermediateCertificatePem: string;
}

/** DER of a certificate of the intermediate from one of the roots. */
function certify(
  { issuer: root, serialNumbers }: Authority,
  { issuer, pointers }: NamedIssuer,
  subjectDer: Buffer,
  spkiDer: Buffer,
): Promise<Buffer> {
  const { notBefore, notAfter } = root.certificate;
  const names = { serialNumber: serialNumbers.next(), subjectDer, spkiDer, notBefore, notAfter };
  return issueCertificate(issuer, { ...names, authority: { pathLength: 0 }, extensions: pointers });
}

/** Intermediate of the given files; undefined when there are none. */
function loadIntermediate(root: Issuer, source: IntermediateSource, now: Date): Issuer | undefined {
  const { intermediateKeyPem: privateKeyPem, intermediateCertificatePem: certificatePem } = source;
  if (privateKeyPem === undefined || certificatePem === undefined) return undefined;
  try {
    const issuer = loadIssuer({ certificatePem, privateKeyPem }, now);
    const { certificate } = issuer;
    if (!isIssuedBy(certificate, root.certificate)) throw new InvalidInput('The root has not signed it');
    // The alternate root names the same key so, and leaves can name it in one way only.
    if (certificate.subjectKeyIdentifier?.equals(keyIdentifier(certificate.spkiDer)) !== true) {
      throw new InvalidInput('Its key identifier is not the SHA-1 of its key (RFC 5280 §4.2.1.2, method 1)');
    }
    return issuer;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const names = 'DUMMY_CA_INTERMEDIATE_KEY and DUMMY_CA_INTERMEDIATE_CERTIFICATE';
    throw new StartFailed(`the intermediate of ${names}: ${error.message}`);
  }
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

const pemOf = ({ certificate }: Issuer): string => formatPem(certificateLabel, certificate.der);
