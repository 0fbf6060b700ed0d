import {
  type BadgeStatus,
  badgeContract,
  type badgesContract,
  type Handlers,
  MethodNotAllowed,
  type ShieldsBadge,
} from '@certloop/contracts';
import { bind, errorHandler, type Logger, refuseUnknownPath } from '@certloop/server';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { type Clock, wholeMs } from '../instants.js';
import type { Caller } from '../projects/caller.js';
import { drawBadge } from './badge-svg.js';
import { type Badge, type BadgesDeps, listBadges, readCheckBadge, readTagBadge } from './badges.service.js';

/** The addresses of badges, for holders of a key. */
export function badgesHandlers(deps: BadgesDeps): Handlers<typeof badgesContract, Caller> {
  return { listBadges: async ({ context }) => ({ status: 200, body: await listBadges(deps, context) }) };
}

/** Router of the badges themselves, without authentication. Unknown badges get an empty response. */
export function badgeRouter(deps: BadgesDeps & { readonly logger: Logger }): Router {
  const router = Router({ caseSensitive: true });
  const routes = bind(badgeContract, badgeHandlers(deps), { context: () => undefined, bodyBytes: 0 });
  const refuse = errorHandler({
    logger: deps.logger,
    describe: () => ({ contentType: 'text/plain; charset=utf-8', body: '' }),
  });
  router.use(['/badge', '/b'], openBadge(deps.clock));
  router.use(routes);
  router.use(['/badge', '/b'], refuseUnknownPath, refuse);
  return router;
}

function badgeHandlers(deps: BadgesDeps): Handlers<typeof badgeContract, undefined> {
  return {
    tagBadgeSvg: async ({ params }) => ok(svgOf(await readTagBadge(deps, params))),
    tagBadgeJson: async ({ params }) => ok((await readTagBadge(deps, params)).report),
    tagBadgeShields: async ({ params }) => ok(shieldsOf(await readTagBadge(deps, params))),
    allBadgeSvg: async ({ params }) => ok(svgOf(await readTagBadge(deps, params))),
    allBadgeJson: async ({ params }) => ok((await readTagBadge(deps, params)).report),
    allBadgeShields: async ({ params }) => ok(shieldsOf(await readTagBadge(deps, params))),
    checkBadgeSvg: async ({ params }) =>
      ok(svgOf(await readCheckBadge(deps, params.states, params.badgeUuid))),
    checkBadgeJson: async ({ params }) =>
      ok((await readCheckBadge(deps, params.states, params.badgeUuid)).report),
    checkBadgeShields: async ({ params }) =>
      ok(shieldsOf(await readCheckBadge(deps, params.states, params.badgeUuid))),
  };
}

function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}

function svgOf({ label, report }: Badge): string {
  return drawBadge(label, report.status);
}

const colours: Readonly<Record<BadgeStatus, ShieldsBadge['color']>> = {
  up: 'success',
  late: 'important',
  down: 'critical',
};

function shieldsOf({ label, report: { status } }: Badge): ShieldsBadge {
  return { schemaVersion: 1, label, message: status, color: colours[status] };
}

const methods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Opens badges to pages of any origin and keeps them out of every cache, since they show the present. Answers
 * preflights; refuses all methods but GET and HEAD.
 */
function openBadge(clock: Clock) {
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'X-Api-Key, Content-Type');
    response.setHeader('Access-Control-Allow-Methods', 'GET, OPTIONS');
    response.setHeader('Access-Control-Max-Age', '600');
    response.setHeader('Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private');
    response.setHeader('Expires', new Date(wholeMs(clock.now())).toUTCString());
    if (request.method === 'OPTIONS') response.status(204).end();
    else
      next(
        methods.includes(request.method)
          ? undefined
          : new MethodNotAllowed(request.method, methods.join(', ')),
      );
  };
}
