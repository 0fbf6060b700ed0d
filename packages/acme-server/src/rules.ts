export { accountView } from './accounts/account-view.js';
export { parseContacts } from './accounts/contacts.js';
export { authorizationView, challengeView } from './authorizations/authorization-view.js';
export { derivedAuthorizationIds, derivedAuthorizations } from './authorizations/derived-authorizations.js';
export { renewalIdOf, requireRenewalId } from './certificates/renewal-id.js';
export { type AcmeCsr, badCsr, parseAcmeCsr } from './orders/acme-csr.js';
export { orderProblem } from './orders/order-problem.js';
export { orderView } from './orders/order-view.js';
export {
  type AcmeLinks,
  type AcmePath,
  acmeLinks,
  acmeMount,
  acmePaths,
  link,
} from './protocol/acme-links.js';
export {
  badAlgorithm,
  readHeader,
  readKey,
  requireAlgorithm,
  type Signer,
  type SignerForm,
} from './protocol/jws-header.js';
export { noSuch, orProblem } from './protocol/problems.js';
export {
  type AuthorizedIdentifier,
  acmeIdentifierOid,
  acmeIdentifierValue,
  authorizedIdentifier,
  challengeTypesOf,
  dns01Name,
  dns01Value,
  http01Path,
  isHttp01Answer,
  type Proof,
  tlsAlpn01ServerName,
} from './records/challenges.js';
export {
  type Identifier,
  identifierKey,
  maxIdentifiers,
  normalAddress,
  parseIdentifiers,
} from './records/identifiers.js';
export { authorizationStatus, challengeStatus, judgeOrder } from './records/order-status.js';
export type {
  Account,
  AcmeCertificate,
  Authorization,
  Challenge,
  Order,
  RenewalWindow,
} from './records/records.js';
