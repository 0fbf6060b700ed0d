export { type BatchEnd, batched } from './concurrency/batching.js';
export { type CallSlots, createCallSlots } from './concurrency/call-slots.js';
export { createGrowingCache } from './concurrency/growing-cache.js';
export {
  createKeyedLimiter,
  createLimiter,
  type KeyedLimiter,
  type LimiterRules,
} from './concurrency/limiter.js';
export { type OneAtATime, oneAtATime } from './concurrency/one-at-a-time.js';
export { inOwnTurn } from './concurrency/own-turn.js';
export {
  type Arrival,
  allowOnly,
  type BindOptions,
  bind,
  receiveBytes,
  refuseUnknownPath,
} from './http/bind.js';
export { type BeginningLimits, receiveBeginning } from './http/body-beginning.js';
export { onBrokenBody } from './http/connections/broken-request.js';
export { plainHandler } from './http/connections/plain-handler.js';
export { type ErrorBody, type ErrorHandlerOptions, errorHandler } from './http/error-handler.js';
export { createHttpApp, type HttpAppOptions } from './http/http-app.js';
export { parseInput } from './http/input-faults.js';
export { parseJsonBody } from './http/json-body.js';
export { faultOfJsonSize, maxPublicValues } from './http/json-size.js';
export { type ApiPagesOptions, apiPages } from './http/pages/api-pages.js';
export { escapeHtml } from './http/pages/html.js';
export { findConsole, type WebConsoleOptions, webConsole } from './http/pages/web-console.js';
export { chosenRefusal, dropBody, nameRequest, sendText } from './http/plain-requests.js';
export { answerUnparsed, type UnparsedOptions } from './http/unparsed-requests.js';
export { receiveUpload, type Upload, type UploadLimits } from './http/upload.js';
export { watchDisk } from './observability/disk-metrics.js';
export { LogOutput } from './observability/log-output.js';
export {
  createLogger,
  type Logger,
  type LoggerOptions,
  noteRoute,
  requestIdOf,
  requestLog,
} from './observability/logger.js';
export {
  type Count,
  createMetrics,
  type Instrument,
  type Metrics,
  type MetricsOptions,
  type Observe,
  type Reading,
  type Sample,
} from './observability/metrics.js';
export { type MetricsAccess, metricsPage, metricsSettings } from './observability/metrics-page.js';
export {
  type StopTracing,
  startTracing,
  type TracingConfig,
  tracingSettings,
} from './observability/start-tracing.js';
export { inSpan, type TracedFetchOptions, tracedFetch } from './observability/tracing.js';
export { watchClock } from './observability/watch-clock.js';
export { type WatchHandlerOptions, watchHandler } from './observability/watch-handler.js';
export { createJobWatch, type WatchJob } from './observability/watch-job.js';
export { refusalOfAddress } from './outgoing/address-rules.js';
export { portFault } from './outgoing/banned-ports.js';
export { boundedFetch } from './outgoing/bounded-fetch.js';
export { type AddressFetch, followingFetch } from './outgoing/following-fetch.js';
export { createOutgoingFetch, type OutgoingFetch, type OutgoingOptions } from './outgoing/outgoing-fetch.js';
export { createPlainFetch } from './outgoing/plain-fetch.js';
export { redirectWords } from './outgoing/redirect-rule.js';
export { parseRetryAfter } from './outgoing/retry-after.js';
export { type Resolve, refusalOfTarget } from './outgoing/target-guard.js';
export { type Clock, createMovableClock, type MovableClock, systemClock } from './process/clock.js';
export {
  addressRanges,
  baseAddress,
  ConfigError,
  type ConfigOf,
  type Environment,
  flag,
  httpAddress,
  logLevel,
  nameSetting,
  portNumber,
  readConfig,
  type Setting,
  type Settings,
  setting,
  unknownSettings,
  wholeNumber,
  wordList,
} from './process/config.js';
export { guardOutput } from './process/guard-output.js';
export { type OnClose, runService } from './process/lifecycle.js';
export {
  type Listening,
  type ListenOptions,
  listen,
  StartFailed,
  startFailure,
  type TlsPair,
} from './process/listen.js';
export { createOutageNotice, hasPassed } from './process/outage-notice.js';
export { packageVersion } from './process/package-version.js';
export { type Poller, type PollerOptions, startPoller } from './process/poller.js';
export { bringUpToDate, type Migratable, type SchemaAtStart } from './process/schema-at-start.js';
export {
  type ClockReading,
  type ClockSources,
  createSteadyClock,
  type SteadyClock,
  systemSources,
} from './process/steady-clock.js';
export {
  derivedPrefix,
  deriveEncryptionKey,
  type EncryptionKey,
  type KeyRing,
  keyRing,
  keyRingOf,
  parseKeyRing,
} from './secrets/key-ring.js';
export {
  keyIdOf,
  lookupHashes,
  openSecret,
  type SecretPlace,
  SecretUnreadable,
  sealSecret,
} from './secrets/secret-box.js';
export { networkOf, plainAddress } from './sign-in/client-network.js';
export type { SignInAttempt } from './sign-in/login-limits.js';
export { createLoginThrottle, type LoginThrottle } from './sign-in/login-throttle.js';
export { createPasswords, type Passwords, type ScryptCost, usualCost } from './sign-in/password.js';
export { requireAcceptablePassword } from './sign-in/password-policy.js';
export { type FetchMetadata, isFromForeignPage, isFromOwnPage } from './sign-in/same-origin.js';
export { csrfTokenOf, newSecret, sameText, secretHash } from './sign-in/secrets.js';
export { createDeviceCookie, createSessionCookie, type SessionCookie } from './sign-in/session-cookie.js';
export {
  deviceSecretOf,
  maxPlacesOfKind,
  placeLifeMs,
  type SignInPlace,
  signInPlaces,
} from './sign-in/sign-in-places.js';
