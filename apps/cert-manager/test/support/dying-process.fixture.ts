import { text } from 'node:stream/consumers';
import { type Database, openDatabase } from '@certloop/db';
import { createLogger, createMovableClock } from '@certloop/server';
import supertest from 'supertest';
import { createApp } from '../../src/app.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import type { DeadlyTransaction, Life } from './dying-process.js';

async function live(life: Life): Promise<void> {
  const { databaseUrl: url, environment, now, work, deadly } = life;
  const dieAt = async (point: string) => {
    if (point === deadly) await die();
  };
  let isArmed = false;
  const opened = await openDatabase({ url, schema });
  const { deadlyTransaction } = life;
  const database =
    deadlyTransaction === undefined ? opened : dyingAt(opened, deadlyTransaction, () => isArmed);
  const app = await createApp({
    config: readCertManagerConfig({ CERT_MANAGER_SETUP_TOKEN_FILE: '/nowhere', ...environment }),
    database,
    logger: createLogger({ service: 'cert-manager', level: 'silent' }),
    clock: createMovableClock(new Date(now)),
    renewals: { atStep: dieAt },
    orders: { atMoment: dieAt, pause: async () => undefined },
  });
  isArmed = true;
  if (work === 'renewals') await app.jobs.runRenewals();
  else if (work === 'requests') await app.jobs.run('issuance');
  else if (work === 'notices') await app.jobs.run('notices');
  else if (work === 'probes') await app.jobs.run('targets');
  else await supertest(app.http).post(work.path).set(work.auth).send(work.body);
  if (deadlyTransaction !== undefined) process.exit(0);
  // what was begun goes on until the end, which must come
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

async function die(): Promise<void> {
  process.kill(process.pid, 'SIGKILL');
  // nothing more happens until the signal arrives
  await new Promise(() => undefined);
}

/** The database, whose process dies at the transaction once `isArmed`. */
function dyingAt(database: Database, { number, when }: DeadlyTransaction, isArmed: () => boolean): Database {
  let count = 0;
  const transaction: Database['transaction'] = async (work) => {
    if (isArmed()) count += 1;
    const isLast = isArmed() && count === number;
    if (isLast && when === 'before') await die();
    const result = await database.transaction(work);
    if (isLast) await die();
    return result;
  };
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'transaction') return transaction;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

void text(process.stdin).then(async (life) => {
  if (life !== '') await live(JSON.parse(life));
});
