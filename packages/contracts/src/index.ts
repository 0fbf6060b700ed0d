export {
  type BodyOf,
  type BodyShape,
  bytes,
  type Call,
  type Contract,
  type Endpoint,
  empty,
  endpoint,
  type Handler,
  type Handlers,
  json,
  type Method,
  type ParamsOf,
  type QueryOf,
  type ReplyOf,
  type ResponseShape,
  text,
  type UploadedFile,
} from './endpoint.js';
export {
  AppError,
  Conflict,
  type ErrorKind,
  type FieldFault,
  Forbidden,
  InvalidInput,
  NotFound,
  type RefusalDetails,
  statusByKind,
  Unauthenticated,
  UpstreamFailed,
} from './errors.js';
export { type CallInput, type Client, type ClientOptions, createClient } from './http.client.js';
export { type ApiDescription, openApiDocument } from './openapi.js';
export * as scalars from './scalars.js';
