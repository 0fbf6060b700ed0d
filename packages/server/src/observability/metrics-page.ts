import { NotFound, Unauthenticated } from '@certloop/contracts';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { flag, setting } from '../process/config.js';
import { sameText } from '../sign-in/secrets.js';
import { noteRoute } from './logger.js';
import type { Metrics } from './metrics.js';

/** Settings by which a service says who may scrape it. */
export const metricsSettings = {
  metricsToken: setting(
    'METRICS_TOKEN',
    z.string().min(16, 'must have at least 16 characters').optional(),
    'bearer token for /metrics, at least 16 characters; when absent, /metrics is 404 unless METRICS_OPEN is true',
  ),
  metricsOpen: setting(
    'METRICS_OPEN',
    flag.default(false),
    'true: without METRICS_TOKEN, /metrics is open to everyone who can reach the service',
  ),
};

export interface MetricsAccess {
  readonly metricsToken: string | undefined;
  readonly metricsOpen: boolean;
}

/**
 * Router of `GET /metrics`. The address does not exist unless a token is set or scraping is open to all;
 * a wrong token is refused with 401.
 */
export function metricsPage(metrics: Metrics, { metricsToken, metricsOpen }: MetricsAccess): Router {
  const router = Router({ caseSensitive: true });
  router.get('/metrics', async (request: Request, response: Response): Promise<void> => {
    noteRoute(response, '/metrics');
    if (metricsToken === undefined && !metricsOpen) throw new NotFound('nothing exists at this path');
    if (metricsToken !== undefined && !isBearer(request.get('authorization'), metricsToken)) {
      throw new Unauthenticated('this needs the metrics token: send it as Bearer', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    const { contentType, text } = await metrics.scrape();
    response.setHeader('Content-Type', contentType);
    response.setHeader('Cache-Control', 'no-store');
    response.send(Buffer.from(text));
  });
  return router;
}

function isBearer(header: string | undefined, token: string): boolean {
  const [, sent = ''] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  return sameText(sent, token);
}
