import { join } from 'node:path';
import { createCertManagerClient } from '@certloop/contracts';
import { patientCalls } from '../../src/main-job.js';
import { healthUrl } from '../../src/plan.js';
import { type ServiceProcess, startService } from '../../src/service-process.js';
import type { Stack } from '../../src/stack.js';
import { freePort } from '../../src/stack-ports.js';

/** One more process of a service of a stack. */
export interface Replica extends ServiceProcess {
  readonly url: string;
}

/** Starts a second manager or monitor on the databases of a stack; resolves when it takes requests. */
export async function startReplica(
  { plan, credentials }: Stack,
  app: 'cert-manager' | 'check-monitor',
  environment: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = {
    'cert-manager': {
      CERT_MANAGER_PORT: String(port),
      CERT_MANAGER_HTTPS_PORT: '0',
      // the first manager has that of the stack, and answers the challenges of both
      HTTP01_PORT: String(await freePort()),
      CHECK_MONITOR_API_KEY: credentials.checkMonitor.readWriteKey,
    },
    'check-monitor': { CHECK_MONITOR_PORT: String(port) },
  };
  const service = startService({
    app,
    environment: { ...plan.environments[app], ...own[app], ...environment },
    healthUrl: healthUrl(app, { ...plan, urls: { ...plan.urls, [app]: url } }),
    logFile: join(plan.dataDir, 'logs', `${app}-2.log`),
  });
  await service.ready;
  return { ...service, url };
}

/** Client of a manager with the cookie of a session, as a browser behind a balancer would use it. */
export function sessionClient(
  baseUrl: string,
  { cookie, csrfToken }: { readonly cookie: string; readonly csrfToken: string },
) {
  const headers = { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' };
  return createCertManagerClient({
    ...patientCalls,
    baseUrl,
    headers: { ...patientCalls.headers, ...headers },
  });
}
