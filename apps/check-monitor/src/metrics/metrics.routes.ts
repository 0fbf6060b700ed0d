import { allowOnly, noteRoute } from '@certloop/server';
import { type Request, type Response, Router } from 'express';
import { describeProject, type MetricsDeps, readServiceCounters } from './metrics.service.js';

const paths = [
  '/projects/:uuid/metrics/:key',
  '/projects/:uuid/metrics',
  // the address of former years, which scrapers that move in still have
  '/projects/:uuid/checks/metrics/:key',
];

/** Router of the state of a project's checks, for Prometheus: with the key in the path, or as a bearer. */
export function prometheusRouter(deps: MetricsDeps): Router {
  const router = Router({ caseSensitive: true });
  for (const path of paths) {
    const route = router.route(path);
    route.get(async (request: Request, response: Response) => {
      // the key stays out of the log
      noteRoute(response, path);
      const { uuid = '', key } = request.params as Record<string, string | undefined>;
      const text = await describeProject(deps, uuid, key ?? bearerOf(request.get('authorization')));
      response.setHeader('Content-Type', 'text/plain');
      response.send(Buffer.from(text));
    });
    route.all(allowOnly(['GET', 'HEAD']));
  }
  return router;
}

/** Counters of the whole service, for anyone who has the metrics key. */
export function reportCounters(deps: MetricsDeps) {
  return async (request: Request, response: Response): Promise<void> => {
    noteRoute(response, '/metrics/');
    const counters = await readServiceCounters(deps, request.get('x-metrics-key') ?? '');
    const body = {
      ts: counters.seconds,
      max_ping_id: counters.pings,
      max_notification_id: counters.lastNotificationId,
      num_unprocessed_flips: counters.waitingFlips,
    };
    response.setHeader('Content-Type', 'application/json');
    response.send(Buffer.from(JSON.stringify(body)));
  };
}

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer (.*)$/.exec(header ?? '')?.[1];
}
