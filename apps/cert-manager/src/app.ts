import { createDeviceCookie, createSessionCookie } from '@certloop/server';
import type { Express } from 'express';
import { createApi, createChallengeApi } from './api.responder.js';
import type { AppOptions } from './app-options.js';
import { apiHandlers } from './handlers.service.js';
import { isSecure } from './http/public-origin.js';
import { createJobs, type Jobs } from './jobs.service.js';
import { createParts } from './parts.service.js';
import type { HttpsCertificate } from './system/https/https-certificate.service.js';

export interface CertManager {
  readonly http: Express;
  /** Answers http-01 challenges and nothing else. */
  readonly challengeHttp: Express;
  /** Key and certificate of the https listener; undefined if the service has none. */
  readonly https: HttpsCertificate | undefined;
  /** Makes readiness probes fail, so that no more requests are sent; those that arrive are still processed. */
  drain(): void;
  readonly jobs: Jobs;
  /** Ends the recurring work and writes pending data; the database stays open. */
  close(): Promise<void>;
}

/** Builds every part of the service once, and connects them. */
export async function createApp(options: AppOptions): Promise<CertManager> {
  const { config } = options;
  const triggerRenewals = () => void jobs.run('renewals');
  const parts = await createParts(options, triggerRenewals);
  const jobs = createJobs(options, parts);
  const cookies = {
    cookie: createSessionCookie({ plainName: 'cm_session', isSecure: isSecure(config) }),
    deviceCookie: createDeviceCookie({ plainName: 'cm_device', isSecure: isSecure(config) }),
  };
  let isDraining = false;
  const handlers = apiHandlers(options, {
    ...parts,
    ...cookies,
    triggerRenewals,
    isDraining: () => isDraining,
  });
  return {
    http: createApi(options, { ...parts, cookies, handlers }),
    challengeHttp: createChallengeApi(options),
    https: parts.https,
    drain: () => {
      isDraining = true;
      parts.held.close();
    },
    jobs,
    close: async () => {
      // before the calls of the jobs break off, all of them know that the service stops
      parts.stopping.abort(new Error('the service stops'));
      await jobs.stop();
      await parts.denials.flush();
      await parts.outgoing.close();
      await parts.notices?.close();
    },
  };
}
