// Events by webhook: claimed, signed, posted to a receiver of this process and settled, each of a subject of its own.
import { createServer } from 'node:http';
import { createApp } from '../../apps/cert-manager/dist/src/app.js';
import { readCertManagerConfig } from '../../apps/cert-manager/dist/src/config.js';
import { insertEvents } from '../../apps/cert-manager/dist/src/events/events.repository.js';
import { createLogger, systemClock } from '../../packages/server/dist/src/index.js';

const count = 2000;

/** The CPU time is that of the service and of the receiver, which share a process. */
export async function measureNotices({ url, ca, database }) {
  const receiver = await startReceiver();
  const config = readCertManagerConfig({
    DUMMY_CA_URL: ca.url,
    CERT_MANAGER_DATABASE_URL: url,
    NOTICE_WEBHOOK_URL: receiver.url,
    NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  });
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const app = await createApp({ config, database, logger, clock: systemClock });
  const given = Array.from({ length: count }, (_, n) => {
    const data = { message: `The certificate of host-${n}.example.test expires soon.` };
    return { event: { type: 'certificate.expiring', subject: `host-${n}`, data }, to: ['webhook'] };
  });
  await database.transaction((tx) => insertEvents(tx, given, new Date()));
  const cpu = process.cpuUsage();
  const start = performance.now();
  while (!(await app.jobs.run('notices')));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await app.close();
  await receiver.close();
  if (receiver.taken() !== count) throw new Error(`${receiver.taken()} events arrived instead of ${count}`);
  const perSecond = count / seconds;
  const figure = `${Math.round(perSecond)}/s`;
  return [
    { what: 'notices by webhook', figure, target: '100/s', perSecond, cpuMs: (user + system) / 1e3 / count },
  ];
}

async function startReceiver() {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, taken: () => taken, close };
}
