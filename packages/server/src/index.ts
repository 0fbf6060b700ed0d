export { refusalOfAddress } from './address-rules.js';
export { type ApiPagesOptions, apiPages } from './api-pages.js';
export { type BatchEnd, type BatchPatience, batched } from './batching.js';
export { type Arrival, type BindOptions, bind, receiveBytes, refuseUnknownPath } from './bind.js';
export { boundedFetch } from './bounded-fetch.js';
export { networkOf } from './client-network.js';
export { type Clock, createMovableClock, type MovableClock, systemClock } from './clock.js';
export {
  baseAddress,
  ConfigError,
  type ConfigOf,
  type Environment,
  flag,
  httpAddress,
  logLevel,
  portNumber,
  readConfig,
  type Setting,
  type Settings,
  setting,
  unknownSettings,
  wholeNumber,
  wordList,
} from './config.js';
export { type ErrorBody, type ErrorHandlerOptions, errorHandler } from './error-handler.js';
export { createHttpApp, type HttpAppOptions } from './http-app.js';
export { parseInput } from './input-faults.js';
export { parseJsonBody } from './json-body.js';
export {
  type Listening,
  type ListenOptions,
  listen,
  type OnClose,
  runService,
  StartFailed,
  startFailure,
} from './lifecycle.js';
export {
  createLogger,
  type Logger,
  type LoggerOptions,
  noteRoute,
  requestIdOf,
  requestLog,
} from './logger.js';
export { createLoginThrottle, type LoginThrottle } from './login-throttle.js';
export {
  type Count,
  createMetrics,
  type Instrument,
  type Metrics,
  type MetricsOptions,
  type Observe,
  type Reading,
  type Sample,
} from './metrics.js';
export { type MetricsAccess, metricsPage, metricsSettings } from './metrics-page.js';
export { createOutgoingFetch, type OutgoingFetch, type OutgoingOptions } from './outgoing-fetch.js';
export { packageVersion } from './package-version.js';
export { createPasswords, type Passwords, type ScryptCost, usualCost } from './password.js';
export { requireSoundPassword } from './password-policy.js';
export { createPlainFetch } from './plain-fetch.js';
export { type Poller, type PollerOptions, startPoller } from './poller.js';
export { isFromForeignPage, isFromOwnPage, type PageHeaders } from './same-origin.js';
export { bringUpToDate, type Migratable, type SchemaAtStart } from './schema-at-start.js';
export { csrfTokenOf, newSecret, sameText, secretHash } from './secrets.js';
export { createSessionCookie, type SessionCookie } from './session-cookie.js';
export {
  type StopTracing,
  startTracing,
  type TracingConfig,
  tracingSettings,
} from './start-tracing.js';
export { type Resolve, refusalOfTarget } from './target-guard.js';
export { inSpan, type TracedFetchOptions, tracedFetch } from './tracing.js';
export { createTurns, type TurnRules } from './turns.js';
export { answerUnparsed, type UnparsedOptions } from './unparsed-requests.js';
export { receiveUpload, type Upload, type UploadLimits } from './upload.js';
export { type WatchHandlerOptions, watchHandler } from './watch-handler.js';
export { createJobWatch, type WatchJob } from './watch-job.js';
