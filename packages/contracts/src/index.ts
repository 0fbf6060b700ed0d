export * from './acme/index.js';
export { type AcmeTool, acmeSetup, acmeSetupText, acmeTools, toolLabel } from './acme-setup/acme-setup.js';
export {
  exampleNames,
  faultsOfSetup,
  type SetupFacts,
  type SetupField,
} from './acme-setup/setup-facts.js';
export * from './cert-manager/index.js';
export { type CertificateSearch, certificateSearchOf } from './certificate-digits.js';
export * from './check-monitor/index.js';
export { csvLine } from './csv.js';
export * from './dummy-ca/index.js';
export {
  type BodyShape,
  bytes,
  type Contract,
  type Endpoint,
  empty,
  endpoint,
  json,
  type Method,
  type ResponseShape,
  type Schema,
  stream,
  text,
} from './endpoint.js';
export {
  AppError,
  Conflict,
  type ErrorKind,
  type FieldFault,
  type Fix,
  Forbidden,
  InvalidInput,
  InvariantFailed,
  MethodNotAllowed,
  NotFound,
  type RefusalDetails,
  statusByKind,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
  UpstreamFailed,
} from './errors.js';
export type {
  BodyOf,
  Call,
  GivenReply,
  Handler,
  Handlers,
  ParamsOf,
  QueryOf,
  ReplyOf,
  UploadedFile,
} from './handlers.js';
export { abortAfter } from './http/abort-after.js';
export { allowedMethods } from './http/allowed-methods.js';
export {
  type AnyInput,
  type CallInput,
  type Client,
  type ClientOptions,
  createClient,
  pathOf,
  requestOf,
} from './http/http.client.js';
export { type ApiDescription, type ErrorShape, openApiDocument } from './openapi/openapi.js';
export { outlineOf } from './openapi/outline.js';
export * as scalars from './scalars.js';
export {
  type BadServerLine,
  maxServerLines,
  readServerLines,
  type ServerLine,
  type ServerLines,
} from './server-lines.js';
