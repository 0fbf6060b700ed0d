import type { RequestListener } from 'node:http';
import { acmeMount } from '@certloop/acme-server/rules';
import { type CsrProfile, dummyCaContract, dummyCaOpenApi } from '@certloop/contracts';
import {
  apiPages,
  type Clock,
  createHttpApp,
  createMetrics,
  errorHandler,
  type Logger,
  type Metrics,
  type MetricsAccess,
  metricsPage,
  refuseUnknownPath,
  watchHandler,
} from '@certloop/server';
import { type AcmeRoutesOptions, acmeRoutes } from './acme/acme.routes.js';
import { type AcmeOptions, createAcme } from './acme/acme-server.service.js';
import { adminRoutes } from './acme/faults/admin.routes.js';
import type { OwnCertificate } from './acme/issuance/acme-issuer.service.js';
import { createCaCounts } from './authority/ca-counts.service.js';
import type { CertificateAuthority } from './authority/certificate-authority.service.js';
import { createCertificatesStore, type StoreLimits } from './authority/certificates.store.js';
import { commitBeforeAnswers } from './authority/commit-before-answers.responder.js';
import { noState, type State } from './authority/state.store.js';
import { refuseOtherSites } from './foreign-page.responder.js';
import { frontPage } from './front-page.routes.js';
import { csrResponder, isCsrAddress } from './signing/csr.responder.js';
import { errorText } from './signing/error-body.js';
import { createIdempotencyStore } from './signing/idempotency.store.js';
import { signingRoutes } from './signing/signing.routes.js';
import { statusRoutes } from './status/status.routes.js';
import { createStatus, type StatusSettings } from './status/status-deps.service.js';

export interface AppOptions {
  readonly authority: CertificateAuthority;
  readonly storeLimits: StoreLimits;
  /** Certificates of the authority itself, whose status can be asked for. */
  readonly own?: readonly OwnCertificate[];
  readonly status: StatusSettings;
  /** Rules that CSRs must keep; none when absent. */
  readonly lint?: CsrProfile | undefined;
  /** ACME is served only with it. */
  readonly acme?: Omit<
    AcmeOptions,
    'clock' | 'logger' | 'certificates' | 'status' | 'counts' | 'state' | 'lint'
  > &
    AcmeRoutesOptions & {
      /** Whether the administrative API is served, to anyone who reaches the service. */
      readonly admin: boolean;
    };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stores the state over a restart; nothing is stored when absent. */
  readonly state?: State;
  /** Metrics to count in; new ones when absent. */
  readonly metrics?: Metrics;
  /** Who may scrape what it counted; no one when absent. */
  readonly metricsAccess?: MetricsAccess;
}

/** Handler of every request to the service; nothing outside the process is touched but the state. */
export function createApp(options: AppOptions): RequestListener {
  const { authority, storeLimits, acme, lint, clock, logger, state = noState } = options;
  const certificates = createCertificatesStore(storeLimits, state);
  const metrics = options.metrics ?? createMetrics({ logger });
  const counts = createCaCounts(metrics, certificates);
  const idempotency = createIdempotencyStore(certificates, clock);
  const profiles = acme?.settings.profiles ?? [];
  const signing = { authority, certificates, idempotency, profiles, counts, lint, clock };
  const status = createStatus({
    issuers: [authority, ...(acme?.issuer.opened ?? [])],
    own: [...(acme?.issuer.issued ?? []), ...(options.own ?? [])],
    certificates,
    serialNumbers: authority.serialNumbers,
    settings: options.status,
    counts,
    clock,
    state,
  });
  const app = createHttpApp({ logger, metrics });
  if (options.metricsAccess !== undefined) app.use(metricsPage(metrics, options.metricsAccess));
  app.use(frontPage({ authority, certificates, hasAcme: acme !== undefined, publicUrl: acme?.publicUrl }));
  app.use(apiPages({ title: 'Dummy certificate authority', document: dummyCaOpenApi }));
  if (acme !== undefined) {
    const deps = createAcme({ ...acme, certificates, status, counts, lint, clock, logger, state });
    app.use(acmeMount, acmeRoutes(deps, acme));
    if (acme.admin) app.use(adminRoutes(deps));
  }
  app.use(statusRoutes(status));
  app.use(signingRoutes(signing));
  app.use(refuseUnknownPath);
  app.use(errorHandler({ logger, describe: (refusal, { path }) => errorText(path, refusal.message) }));
  const { path: route } = dummyCaContract.signCsr;
  const answerCsr = watchHandler(csrResponder(signing, logger), { route, metrics });
  const answer = refuseOtherSites(acme?.publicUrl, (request, response) =>
    (isCsrAddress(request.url) ? answerCsr : app)(request, response),
  );
  return state === noState ? answer : commitBeforeAnswers(answer, state, logger);
}
