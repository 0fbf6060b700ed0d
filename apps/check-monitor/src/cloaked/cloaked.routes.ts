import { AppError, NotFound } from '@certloop/contracts';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { invalidPage } from '../notifications/consent-page.js';
import { guardPage } from '../notifications/private-page.middleware.js';
import { type CloakedDeps, openCloaked } from './cloaked.service.js';
import { cloakedPage, cloakedPolicy, cloakedTestPage } from './cloaked-page.js';

const path = '/cloaked/:uniqueKey';

/** Router of the pages that the links in messages open. */
export function cloakedRouter(deps: CloakedDeps): Router {
  const router = Router({ caseSensitive: true });
  const route = router.route(path);
  route.all(guardPage(path, cloakedPolicy));
  route.get(async (request, response) => {
    const opened = await openCloaked(deps, linkOf(request));
    response.send(opened === 'test' ? cloakedTestPage(deps.siteName) : cloakedPage(opened));
  });
  route.all((request) => {
    const headers = { Allow: 'GET, HEAD' };
    throw new AppError('method_not_allowed', `${request.method} is not allowed here`, { headers });
  });
  router.use('/cloaked', showInvalid(deps.siteName));
  return router;
}

function linkOf({ params, url }: Request): { readonly uniqueKey: string; readonly signature: string } {
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
