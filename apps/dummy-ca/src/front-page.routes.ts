import { X509Certificate } from 'node:crypto';
import { requestBase } from '@certloop/acme-server';
import { acmeLinks } from '@certloop/acme-server/rules';
import { noteRoute } from '@certloop/server';
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { CertificateAuthority } from './authority/certificate-authority.service.js';
import { frontPagePolicy, renderFrontPage } from './front-page.js';

export interface FrontPageOptions {
  readonly authority: CertificateAuthority;
  /** Store of certificates; its size is read at each request. */
  readonly certificates: { readonly size: number };
  readonly hasAcme: boolean;
  /** Address that clients use; the one of the request when undefined. */
  readonly publicUrl: string | undefined;
}

/** Router of the page at `/`, for clients that prefer HTML; all others go on to the next handler. */
export function frontPage({ authority, certificates, hasAcme, publicUrl }: FrontPageOptions): Router {
  const root = new X509Certificate(authority.rootPem);
  const facts = {
    subject: authority.root.subject,
    key: authority.root.key,
    fingerprint: root.fingerprint256,
    notAfter: new Date(root.validTo),
  };
  const router = Router({ caseSensitive: true });
  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    response.vary('Accept');
    // the type that comes first wins a tie, so `*/*` keeps its 404
    if (request.accepts(['application/json', 'text/html']) !== 'text/html') return next();
    noteRoute(response, '/');
    const links = acmeLinks(requestBase(request, publicUrl));
    const directory = hasAcme ? links.of('directory') : undefined;
    const page = { ...facts, base: links.base, stored: certificates.size, directory };
    response.setHeader('Content-Security-Policy', frontPagePolicy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'same-origin');
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(renderFrontPage(page));
  });
  return router;
}
