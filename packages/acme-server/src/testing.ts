export {
  AcmeClient,
  type Answer,
  dnsIdentifiers,
  type ExternalKey,
  type Identifiers,
  type PostOptions,
} from './testing/acme-client.js';
export { requestMutants, sendMutants } from './testing/request-mutants.js';
export { sampleRequests } from './testing/sample-requests.js';
