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
