import express, { type Express } from 'express';
import { type Logger, requestLog } from '../observability/logger.js';
import type { RequestWatch } from '../observability/request-watch.js';
import { watchUntrustedProxies } from './untrusted-proxy.middleware.js';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For counts; none when absent. */
  readonly trustedProxies?: readonly string[];
  /** Called for a request with X-Forwarded-For from another peer; such requests are not noticed when absent. */
  readonly onUntrustedProxy?: () => void;
  /** Where requests are counted; nowhere when absent. */
  readonly metrics?: RequestWatch;
}

/** Express application with the settings that every service has: exact paths, no ETag, a line a request. */
export function createHttpApp({
  logger,
  trustedProxies = [],
  onUntrustedProxy,
  metrics,
}: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', [...trustedProxies]);
  app.use(requestLog(logger, metrics));
  if (onUntrustedProxy !== undefined) app.use(watchUntrustedProxies(logger, onUntrustedProxy));
  return app;
}
