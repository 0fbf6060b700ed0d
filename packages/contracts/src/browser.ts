// What a page loads of the contracts: the client, refusals, lists of words, and types. No file that it reaches at run
// time imports anything but files of this package, so no schema and no zod come with it.
export { type AcmeTool, acmeSetup, acmeTools, toolLabel } from './acme-setup/acme-setup.js';
export {
  exampleNames,
  faultsOfSetup,
  type SetupFacts,
  type SetupField,
} from './acme-setup/setup-facts.js';
export type { ClientSetup, SetupStep } from './acme-setup/setup-step.js';
export type * from './cert-manager/index.js';
export {
  certificateFormats,
  fqdnSorts,
  fqdnStates,
  issuanceJobStatuses,
  permissionLevels,
  renewalOutlooks,
  renewalOwners,
  renewalStatuses,
  requestSteps,
  spaceSorts,
  stepStatuses,
  targetProtocols,
  tokenScopes,
} from './cert-manager/words.js';
export { type CertificateSearch, certificateSearchOf } from './certificate-digits.js';
export type * from './check-monitor/index.js';
export {
  accountBasePath,
  checkMonitorBasePath,
  checkStatuses,
  keyKinds,
  pingTypes,
  projectRoles,
} from './check-monitor/words.js';
export { csvLine } from './csv.js';
export type { Contract, Endpoint } from './endpoint.js';
export {
  AppError,
  type ErrorKind,
  type FieldFault,
  type Fix,
  type RefusalDetails,
  statusByKind,
  UpstreamFailed,
} from './errors.js';
export type { ReplyOf, UploadedFile } from './handlers.js';
export {
  type AnyInput,
  type CallInput,
  type Client,
  type ClientOptions,
  createClient,
  pathOf,
  requestOf,
} from './http/http.client.js';
export {
  type BadServerLine,
  maxServerLines,
  readServerLines,
  type ServerLine,
  type ServerLines,
} from './server-lines.js';
