import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@certloop/db';
import { createLogger, createMovableClock } from '@certloop/server';
import { createApp } from '../../src/app.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import type { RenewalStep } from '../../src/renewals/renew-certificate.service.js';

interface Life {
  readonly databaseUrl: string;
  readonly caUrl: string;
  readonly now: Date;
  /** At which the process kills itself, beyond all catching. */
  readonly step: RenewalStep;
}

/** Works on the renewal queue in a process of its own that dies at the step; returns by which signal it ended. */
export async function renewUntilDeath({ databaseUrl, caUrl, now, step }: Life): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DYING_DATABASE_URL: databaseUrl,
      DYING_CA_URL: caUrl,
      DYING_NOW: now.toISOString(),
      DYING_STEP: step,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code, signal]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return signal ?? `exit code ${code}: ${stderr}`;
}

async function live(environment: NodeJS.ProcessEnv): Promise<void> {
  const {
    DYING_DATABASE_URL: url = '',
    DYING_CA_URL: caUrl = '',
    DYING_NOW: now = '',
    DYING_STEP,
  } = environment;
  const database = await openDatabase({ url, schema });
  const app = await createApp({
    config: readCertManagerConfig({ DUMMY_CA_URL: caUrl, CERT_MANAGER_SETUP_TOKEN_FILE: '/nowhere' }),
    database,
    logger: createLogger({ service: 'cert-manager', level: 'silent' }),
    clock: createMovableClock(new Date(now)),
    renewals: {
      atStep: async (step) => {
        if (step === DYING_STEP) process.kill(process.pid, 'SIGKILL');
        // nothing more happens until the signal arrives
        if (step === DYING_STEP) await new Promise(() => undefined);
      },
    },
  });
  await app.runRenewals();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await live(process.env);
