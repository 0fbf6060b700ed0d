// The scheduler's own work in one run: what has lapsed, what is due, taken in its batches, and the report. Each
// entry is left as soon as it is taken, so that neither the CA nor the storing is in the figure.
import { createApp } from '../../apps/cert-manager/dist/src/app.js';
import { readCertManagerConfig } from '../../apps/cert-manager/dist/src/config.js';
import { runRenewalJob } from '../../apps/cert-manager/dist/src/renewals/queue/run-renewal-job.service.js';
import { createLogger, systemClock } from '../../packages/server/dist/src/index.js';
import { settle } from '../databases.mjs';
import { copyId } from '../multiply.mjs';
import { seedCertificates } from './manager-seed.mjs';

const kind = '0000000e';
const count = 100_000;
const due = 100;
const times = 11;

/** Stops the manager, which would renew what is due. */
export async function measureTick(place) {
  await seedCertificates(place, { kind, count });
  await place.manager.stop();
  const ids = Array.from({ length: due }, (_, n) => `'${copyId(kind, n + 1)}'`).join(', ');
  await place.runSql(`update renewal_queue set scheduled_at = created_at where id in (${ids})`);
  await settle(place);
  const runs = await runOften(place);
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(runs, 'ms', share));
  const what = `scheduler's tick, ${due} of ${count.toLocaleString('en')} due`;
  const cpuMs = quantile(runs, 'cpuMs', 0.5);
  return [{ what, figure: `${p50.toFixed(1)} ms`, target: '100 ms', aloneMs: p50, p50, p99, cpuMs }];
}

async function runOften({ url, ca, database, runSql }) {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const config = readCertManagerConfig({ DUMMY_CA_URL: ca.url, CERT_MANAGER_DATABASE_URL: url });
  let taken = 0;
  const atStep = async () => {
    taken += 1;
    throw new Error('left');
  };
  const renewals = { atStep };
  const app = await createApp({ config, database, logger, clock: systemClock, renewals });
  const job = {
    db: database,
    clock: systemClock,
    logger,
    heartbeat: undefined,
    runQueue: app.jobs.runRenewals,
  };
  const runs = [];
  // the first one warms up
  for (let n = 0; n <= times; n += 1) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    await runRenewalJob(job);
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    if (n > 0) runs.push({ ms, cpuMs: (user + system) / 1e3 });
    if (taken !== due * (n + 1)) throw new Error(`${taken} entries were taken in ${n + 1} runs`);
    await runSql(
      "update renewal_queue set status = 'pending', lease_owner = null, lease_until = null where status = 'processing'",
    );
  }
  await app.close();
  return runs;
}

function quantile(runs, name, share) {
  return runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(share * (runs.length - 1))];
}
