// What judges certificates and revocation lists against their profile. Services do not use it: the tests of dummy-ca
// apply it to all that the service issues.
export { lintCertificate } from './lint.js';
export { lintRevocationList } from './lint-revocation-list.js';
