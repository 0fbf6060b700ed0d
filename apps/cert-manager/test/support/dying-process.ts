import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@certloop/db';
import { createLogger, createMovableClock } from '@certloop/server';
import supertest from 'supertest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { createApp } from '../../src/app.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import type { RenewalStep } from '../../src/renewals/queue/renew-certificate.service.js';

/** What a process of its own does with its life. */
export interface Life {
  readonly databaseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
  readonly work:
    | 'renewals'
    | 'requests'
    | 'notices'
    | 'probes'
    /** One call of the API with a body. */
    | { readonly path: string; readonly auth: Readonly<Record<string, string>>; readonly body: object };
  /** Step of a renewal, or moment of an order, at which it kills itself, beyond all catching. */
  readonly deadly?: RenewalStep | OrderMoment;
}

/** A process that waits for its life, so that the next test need not wait until it has loaded the app. */
let waiting: ChildProcess | undefined;

/** Begins a process that works until it dies, or is killed. */
export function beginLife(life: Life): ChildProcess {
  const child = waiting ?? startProcess();
  waiting = startProcess();
  child.ref();
  child.stdin?.end(JSON.stringify(life));
  return child;
}

/** One that no test takes ends with this process, whose end closes its standard input. */
function startProcess(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as Socket | null)?.unref();
  return child;
}

/** By which signal a process ended, or what it said instead. */
export async function deathOf(child: ChildProcess): Promise<string> {
  const [stderr, [code, signal]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return signal ?? `exit code ${code}: ${stderr}`;
}

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
  if (work === 'renewals') await app.runRenewals();
  else if (work === 'requests') await app.takeUpJobs();
  else if (work === 'notices') await app.runNotices();
  else if (work === 'probes') await app.runProbes();
  else await supertest(app.http).post(work.path).set(work.auth).send(work.body);
  // what was begun goes on until the end, which must come
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const life = await text(process.stdin);
  if (life !== '') await live(JSON.parse(life));
}
