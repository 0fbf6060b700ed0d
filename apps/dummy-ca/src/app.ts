import type { RequestListener } from 'node:http';
import { type Clock, createHttpApp, errorHandler, type Logger, refuseUnknownPath } from '@certloop/server';
import { type AcmeRoutesOptions, acmeRoutes } from './acme/acme.routes.js';
import { acmeMount } from './acme/acme-links.js';
import { type AcmeOptions, createAcme } from './acme/acme-server.service.js';
import type { CertificateAuthority } from './authority/certificate-authority.service.js';
import { createCertificatesStore, type StoreLimits } from './authority/certificates.store.js';
import { csrResponder, isCsrAddress } from './signing/csr.responder.js';
import { errorText } from './signing/error-body.js';
import { signingRoutes } from './signing/signing.routes.js';

export interface AppOptions {
  readonly authority: CertificateAuthority;
  readonly keep: StoreLimits;
  /** ACME is served only with it. */
  readonly acme?: Omit<AcmeOptions, 'clock' | 'logger'> & AcmeRoutesOptions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Handler of every request to the service; nothing outside the process is touched. */
export function createApp({ authority, keep, acme, clock, logger }: AppOptions): RequestListener {
  const signing = { authority, certificates: createCertificatesStore(keep), clock };
  const app = createHttpApp({ logger });
  if (acme !== undefined) app.use(acmeMount, acmeRoutes(createAcme({ ...acme, clock, logger }), acme));
  app.use(signingRoutes(signing));
  app.use(refuseUnknownPath);
  app.use(errorHandler({ logger, describe: (refusal, { path }) => errorText(path, refusal.message) }));
  const answerCsr = csrResponder(signing, logger);
  return (request, response) => (isCsrAddress(request.url) ? answerCsr : app)(request, response);
}
