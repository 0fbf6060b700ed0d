import { AppError, NotFound } from '@certloop/contracts';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { invalidPage } from '../notifications/consent-page.js';
import { guardPage } from '../notifications/private-page.middleware.js';
import {
  type CloakedDeps,
  type GivenCloakedLink,
  looksLikeUniqueKey,
  openCloaked,
} from './cloaked.service.js';
import { cloakedPage, cloakedPolicy, cloakedTestPage } from './cloaked-page.js';

const path = '/cloaked/:uniqueKey';

export interface CloakedRouteDeps extends CloakedDeps {
  /** Path before the pages of the console; undefined where only the API is served. */
  readonly consolePath: string | undefined;
}

/**
 * Router of the pages that the links in messages open. With a console, a link without its signature leads to the page
 * of the check there, which asks for sign-in.
 */
export function cloakedRouter(deps: CloakedRouteDeps): Router {
  const router = Router({ caseSensitive: true });
  const route = router.route(path);
  route.all(guardPage(path, cloakedPolicy));
  route.get(async (request, response) => {
    const link = linkOf(request);
    const inConsole = consoleLink(deps, link);
    try {
      const opened = await openCloaked(deps, link);
      response.send(opened === 'test' ? cloakedTestPage(deps.siteName) : cloakedPage(opened, inConsole));
    } catch (error) {
      if (!(error instanceof NotFound) || inConsole === undefined) throw error;
      response.redirect(302, inConsole);
    }
  });
  route.all((request) => {
    const headers = { Allow: 'GET, HEAD' };
    throw new AppError('method_not_allowed', `${request.method} is not allowed here`, { headers });
  });
  router.use('/cloaked', showInvalid(deps.siteName));
  return router;
}

/** Page of the check in the console; undefined without a console, or where no check can have the key. */
function consoleLink({ consolePath }: CloakedRouteDeps, { uniqueKey }: GivenCloakedLink): string | undefined {
  if (consolePath === undefined || !looksLikeUniqueKey(uniqueKey)) return undefined;
  return `${consolePath}checks/${uniqueKey}`;
}

function linkOf({ params, url }: Request): GivenCloakedLink {
  const { uniqueKey } = params as Record<string, string | undefined>;
  const signatures = new URL(url, 'http://any.invalid').searchParams.getAll('s');
  return { uniqueKey: uniqueKey ?? '', signature: signatures.length === 1 ? (signatures[0] ?? '') : '' };
}

/** People read this answer, in a browser. */
function showInvalid(siteName: string) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (error instanceof NotFound) response.status(404).send(invalidPage(siteName));
    else next(error);
  };
}
