// Suite `monitor`: pings.

import { inheritedEnvironment } from '../packages/e2e/dist/src/config.js';
import { clientsOf } from '../packages/e2e/dist/src/main-job.js';
import { startStack } from '../packages/e2e/dist/src/stack.js';
import { underLoad } from './measure.mjs';
import { withFolder } from './services.mjs';

export const monitor = {
  name: 'monitor',
  run: ({ seconds }) =>
    withFolder(async (dataDir) => {
      const ports = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
      const environment = { ...inheritedEnvironment(), NODE_ENV: 'production', LOG_LEVEL: 'warn' };
      const stack = await startStack({ dataDir, ports, environment });
      try {
        return [await pinging(stack, seconds)];
      } finally {
        await stack.stop();
      }
    }),
};

async function pinging(stack, seconds) {
  const { monitor: client } = clientsOf(stack.credentials);
  const created = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => client.createCheck({ body: { name: `bench ${n}` } })),
  );
  const load = {
    url: stack.credentials.checkMonitor.url,
    requests: created.map(({ body }) => ({ path: new URL(body.ping_url).pathname })),
  };
  const { pid } = stack.service('check-monitor');
  return underLoad({ what: 'check-monitor GET /ping, 1,000 checks', pid, load, seconds });
}
