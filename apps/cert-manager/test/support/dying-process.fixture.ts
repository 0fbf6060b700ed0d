import { text } from 'node:stream/consumers';
import { openDatabase } from '@certloop/db';
import { createLogger, createMovableClock } from '@certloop/server';
import supertest from 'supertest';
import { createApp } from '../../src/app.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import type { Life } from './dying-process.js';

async function live({ databaseUrl: url, environment, now, work, deadly }: Life): Promise<void> {
  const dieAt = async (point: string) => {
    if (point !== deadly) return;
    process.kill(process.pid, 'SIGKILL');
    // nothing more happens until the signal arrives
    await new Promise(() => undefined);
  };
  const app = await createApp({
    config: readCertManagerConfig({ CERT_MANAGER_SETUP_TOKEN_FILE: '/nowhere', ...environment }),
    database: await openDatabase({ url, schema }),
    logger: createLogger({ service: 'cert-manager', level: 'silent' }),
    clock: createMovableClock(new Date(now)),
    renewals: { atStep: dieAt },
    orders: { atMoment: dieAt, pause: async () => undefined },
  });
  if (work === 'renewals') await app.jobs.runRenewals();
  else if (work === 'requests') await app.jobs.run('issuance');
  else if (work === 'notices') await app.jobs.run('notices');
  else if (work === 'probes') await app.jobs.run('targets');
  else await supertest(app.http).post(work.path).set(work.auth).send(work.body);
  // what was begun goes on until the end, which must come
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

void text(process.stdin).then(async (life) => {
  if (life !== '') await live(JSON.parse(life));
});
