/**
 * X.509, PKCS#10 and JOSE: computes, never fetches, never stores, takes the instant from its caller.
 * Input from outside is refused by InvalidInput and nothing else; a signature that does not hold is a result.
 * Every Buffer of a parsed Csr or Certificate is a slice of the octets it was read from.
 */

export { calendar } from './calendar.js';
export {
  type CalendarRule,
  type LifetimeRule,
  lastRule,
  publicLifetimeRule,
  type RuleCertainty,
  type RuleEffect,
  type RuleSubject,
  rulesInForce,
  startOf,
} from './calendar-rules.js';
export {
  type Certificate,
  fingerprint,
  isWithinValidity,
  parseCertificate,
} from './certificates/certificate.js';
export { type CertificateDescription, describeCertificate } from './certificates/certificate-description.js';
export type { IssueRequest } from './certificates/certificate-profile.js';
export { encodeCertsOnly } from './certificates/certs-only.js';
export {
  type ChainCheck,
  checkChain,
  isIssuedBy,
  orderChain,
  pickChain,
  verifyLeafSignature,
} from './certificates/chain.js';
export { describeExtension, type Extension, type ExtensionDescription } from './certificates/extensions.js';
export { issueCertificate } from './certificates/issue.js';
export {
  createIssuer,
  type Issuer,
  type IssuerFiles,
  type IssuerMaterial,
  loadIssuer,
} from './certificates/issuer.js';
export { type LeafUse, readLeafUse } from './certificates/leaf-use.js';
export { findPathFault, validityFault } from './certificates/path-rules.js';
export { createRoot, type RootKeyKind, type RootRequest } from './certificates/root.js';
export { recallCertificate } from './certificates/verified-signatures.js';
export { joinNames } from './csr-lint/join-names.js';
export { type CsrLintResult, csrVerdict, lintCsr, lintCsrText, lintStoredCsr } from './csr-lint/lint-csr.js';
export type { CsrLintOptions } from './csr-lint/lint-facts.js';
export { type BuiltCsr, buildCsr, type CsrRequest } from './csrs/build-csr.js';
export { type Csr, type CsrAttribute, parseCsr, verifyCsr } from './csrs/csr.js';
export { type CsrDescription, describeCsr } from './csrs/csr-description.js';
export { revocationReasons } from './der/oids.js';
export {
  certificateLabel,
  csrLabels,
  formatPem,
  type PemBlock,
  parsePem,
  parsePemBlocks,
  splitChain,
} from './der/pem.js';
export { exportJwk, importJwk, keyAuthorization, type PublicJwk, thumbprint } from './jose/jwk.js';
export {
  type FlattenedJws,
  type MacAlgorithm,
  macJws,
  type ParsedJws,
  parseJws,
  signJws,
  verifyJws,
  verifyMac,
} from './jose/jws.js';
export { type SignatureAlgorithm, signatureAlgorithmOf, signatureAlgorithms } from './jose/jws-algorithms.js';
export { createKeyCache, type KeyCache } from './keys/key-cache.js';
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
} from './keys/keys.js';
export { describePublicKey, type PublicKeyDescription } from './keys/public-keys.js';
export { createSigner, type Signer } from './keys/sign.js';
export type { Verification } from './keys/signatures.js';
export { describeRsaKey, type RsaFacts } from './keys/weak-rsa.js';
export {
  encodeGeneralNames,
  type GeneralNames,
  type GeneralNamesInput,
  noGeneralNames,
  parseGeneralNames,
} from './names/general-names.js';
export { coversHostname, type HostnameReading, readHostname } from './names/hostnames.js';
export { formatIpAddress, parseIpAddress } from './names/ip-addresses.js';
export {
  constraintFault,
  encodePermittedNames,
  type NameConstraints,
  type PermittedNames,
  parseNameConstraints,
} from './names/name-constraints.js';
export { describeName, encodeName, formatName, listCommonNames, type SubjectFields } from './names/names.js';
export { type OcspCertId, type OcspRequest, parseOcspRequest } from './revocation/ocsp-request.js';
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
} from './revocation/ocsp-response.js';
export {
  createRevocationList,
  encodeRevocation,
  type RevocationListRequest,
  type RevocationReason,
  type RevokedCertificate,
} from './revocation/revocation-list.js';
export {
  encodePointers,
  ocspNoCheck,
  type RevocationPointers,
  readIssuerAddresses,
} from './revocation/revocation-pointers.js';
