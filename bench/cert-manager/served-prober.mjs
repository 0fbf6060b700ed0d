// The manager in a process that only probes: how many targets it probes in `seconds`, and what that takes.
import { createApp } from '../../apps/cert-manager/dist/src/app.js';
import { readCertManagerConfig } from '../../apps/cert-manager/dist/src/config.js';
import { schema } from '../../apps/cert-manager/dist/src/database.js';
import { targetStates } from '../../apps/cert-manager/dist/src/targets/probes/target-states.repository.js';
import { openDatabase } from '../../packages/db/dist/src/index.js';
import { createLogger, systemClock } from '../../packages/server/dist/src/index.js';

const sampleMs = 50;

process.once('message', async ({ url, environment, seconds }) => {
  const database = await openDatabase({ url, schema });
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const config = readCertManagerConfig({ CERT_MANAGER_DATABASE_URL: url, ...environment });
  const app = await createApp({ config, database, logger, clock: systemClock });
  const countStates = () => database.read((tx) => tx.count(targetStates));
  const before = await countStates();
  const ownBytes = process.memoryUsage.rss();
  let peakBytes = ownBytes;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, sampleMs);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const runs = app.jobs.run('targets');
  await new Promise((resolve) => setTimeout(resolve, seconds * 1e3));
  const probed = (await countStates()) - before;
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(sampler);
  process.send({ probed, ms, cpuMs: (user + system) / 1e3, ownBytes, peakBytes });
  await app.close();
  await runs;
  await database.close();
});
