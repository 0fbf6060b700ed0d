/**
 * X.509, PKCS#10 and JOSE: computes, never fetches, never stores, takes the instant from its caller.
 * Input from outside is refused by InvalidInput and nothing else; a signature that does not hold is a result.
 * Every Buffer of a parsed Csr or Certificate is a slice of the octets it was read from.
 */

export { type BuiltCsr, buildCsr, type CsrRequest } from './build-csr.js';
export {
  type Certificate,
  fingerprint,
  isWithinValidity,
  parseCertificate,
} from './certificate.js';
export { type CertificateDescription, describeCertificate } from './certificate-description.js';
export { type ChainCheck, checkChain, isIssuedBy, orderChain, recallCertificate } from './chain.js';
export { type Csr, type CsrAttribute, parseCsr, verifyCsr } from './csr.js';
export { type CsrDescription, describeCsr } from './csr-description.js';
export { describeExtension, type Extension, type ExtensionDescription } from './extensions.js';
export {
  encodeGeneralNames,
  type GeneralNames,
  type GeneralNamesInput,
  noGeneralNames,
  parseGeneralNames,
} from './general-names.js';
export { formatIpAddress, parseIpAddress } from './ip-addresses.js';
export { type IssueRequest, issueCertificate } from './issue.js';
export { createIssuer, type Issuer, type IssuerFiles, type IssuerMaterial, loadIssuer } from './issuer.js';
export { exportJwk, importJwk, keyAuthorization, type PublicJwk, thumbprint } from './jwk.js';
export {
  type FlattenedJws,
  macJws,
  type ParsedJws,
  parseJws,
  type SignatureAlgorithm,
  signatureAlgorithmOf,
  signatureAlgorithms,
  signJws,
  verifyJws,
  verifyMac,
} from './jws.js';
export { createKeyCache, type KeyCache } from './key-cache.js';
export {
  exportPrivateKeyPem,
  exportSpki,
  generateKeyPair,
  importPrivateKey,
  type KeyKind,
  type KeyPair,
  keyIdentifier,
  keyKinds,
  publicKeysEqual,
  spkiSha256,
} from './keys.js';
export { lintCertificate } from './lint.js';
export { lintRevocationList } from './lint-revocation-list.js';
export {
  constraintFault,
  encodePermittedNames,
  type NameConstraints,
  type PermittedNames,
  parseNameConstraints,
} from './name-constraints.js';
export { describeName, encodeName, formatName, listCommonNames, type SubjectFields } from './names.js';
export { type OcspCertId, type OcspRequest, parseOcspRequest } from './ocsp-request.js';
export {
  createOcspResponder,
  createOcspResponse,
  encodeOcspFailure,
  type OcspAnswers,
  type OcspFailure,
  type OcspResponder,
  type OcspSingleAnswer,
  type OcspStatus,
  ocspIssuerKeys,
} from './ocsp-response.js';
export { revocationReasons } from './oids.js';
export { findPathFault } from './path-rules.js';
export {
  certificateLabel,
  csrLabels,
  formatPem,
  type PemBlock,
  parsePem,
  parsePemBlocks,
  splitChain,
} from './pem.js';
export { describePublicKey, type PublicKeyDescription } from './public-keys.js';
export {
  createRevocationList,
  encodeRevocation,
  type RevocationListRequest,
  type RevocationReason,
  type RevokedCertificate,
} from './revocation-list.js';
export { encodePointers, ocspNoCheck, type RevocationPointers } from './revocation-pointers.js';
export { createRoot, type RootKeyKind, type RootRequest } from './root.js';
export { createSigner, type Signer } from './sign.js';
export type { Verification } from './signatures.js';
export { describeRsaKey, type RsaFacts } from './weak-rsa.js';
