import { NotFound } from '@certloop/contracts';
import { allowOnly } from '@certloop/server';
import { type Request, Router } from 'express';
import { guardPage, showInvalidLink } from '../notifications/private-page.middleware.js';
import { type CloakedDeps, consoleLink, type GivenCloakedLink, openCloaked } from './cloaked.service.js';
import { cloakedPage, cloakedPolicy, cloakedTestPage } from './cloaked-page.js';

const path = '/cloaked/:uniqueKey';

/**
 * Router of the pages that the links in messages open. With a console, a link without its signature leads to the page
 * of the check there, which asks for sign-in.
 */
export function cloakedRouter(deps: CloakedDeps): Router {
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
  route.all(allowOnly(['GET', 'HEAD']));
  router.use('/cloaked', showInvalidLink(deps.siteName));
  return router;
}

function linkOf({ params, url }: Request): GivenCloakedLink {
  const { uniqueKey } = params as Record<string, string | undefined>;
  const signatures = new URL(url, 'http://any.invalid').searchParams.getAll('s');
  return { uniqueKey: uniqueKey ?? '', signature: signatures.length === 1 ? (signatures[0] ?? '') : '' };
}
