import { type Request, Router } from 'express';
import type { LinkPurpose } from '../integrations/links/signed-link.js';
import { type ConsentDeps, followLink, requireLink } from './consent.service.js';
import { askPage, donePage } from './consent-page.js';
import { guardPage, showInvalidLink } from './private-page.middleware.js';

const purposes: readonly LinkPurpose[] = ['unsub', 'verify'];

/** Router of the signed links in mails. A GET asks, a POST does; mail programs send the POST themselves (RFC 8058). */
export function consentRouter(deps: ConsentDeps): Router {
  const router = Router({ caseSensitive: true });
  for (const purpose of purposes) {
    const path = `/integrations/:uuid/${purpose}/:signature`;
    const route = router.route(path);
    route.all(guardPage(path, "form-action 'self'"));
    route.get(async (request, response) => {
      await requireLink(deps, linkOf(request, purpose));
      response.send(askPage(deps.siteName, purpose));
    });
    route.post(async (request, response) => {
      const isDeclined = purpose === 'verify' && request.query['decline'] !== undefined;
      await followLink(deps, linkOf(request, purpose), isDeclined);
      response.send(donePage(deps.siteName, isDeclined ? 'decline' : purpose));
    });
    route.all((_request, response) => {
      response.status(405).set('Allow', 'GET, HEAD, POST').end();
    });
  }
  router.use('/integrations', showInvalidLink(deps.siteName));
  return router;
}

function linkOf(request: Request, purpose: LinkPurpose) {
  const { uuid = '', signature = '' } = request.params as Record<string, string>;
  return { purpose, channelUuid: uuid, signature };
}
