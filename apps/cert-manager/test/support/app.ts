import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Database } from '@certloop/db';
import { createTestDatabase, type OpenTestDatabase } from '@certloop/db/testing';
import type { ScryptCost } from '@certloop/server';
import { createLogger, createMetrics, createMovableClock, type MovableClock } from '@certloop/server';
import { createTestServer, overReusedConnections } from '@certloop/server/testing';
import type { Express } from 'express';
import supertest from 'supertest';
import { type CertManager, createApp } from '../../src/app.js';
import type { AppOptions, OrderOptions, RenewalOptions } from '../../src/app-options.js';
import { type Config, readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import { answerMs } from '../../src/http/answer-times.js';
import type { RunReport } from '../../src/renewals/heartbeat/run-report.js';
import { type People, settlePeople } from './people.js';

/** A cost that no attacker would mind, so that tests need not wait. */
export const quickCost: ScryptCost = { N: 16, r: 1, p: 1 };

export interface TestAppOptions {
  /** Environment beside the defaults of a test. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly renewals?: RenewalOptions;
  readonly orders?: OrderOptions;
  readonly resolve?: AppOptions['resolve'];
  readonly consoleFolder?: string;
  /** Where the clock stands first; in March 2026 when absent. */
  readonly now?: Date;
  readonly steady?: AppOptions['steady'];
  /** What the clock of the CA shows when that of the application shows `now`; the same when absent. */
  readonly caNow?: (now: Date) => Date;
  /** Another process beside one that exists: same clock, and its people are there already. */
  readonly beside?: Pick<TestApp, 'clock' | 'people'>;
}

/** The real application on a database of its own, with a clock that stands still until it is moved. */
export interface TestApp {
  readonly database: Database;
  readonly clock: MovableClock;
  readonly config: Config;
  readonly http: Express;
  /** Key and certificate of the https listener. */
  readonly https: CertManager['https'];
  /** What the port for http-01 challenges serves. */
  readonly challengeHttp: Express;
  /** Requests without any credential. */
  readonly request: ReturnType<typeof supertest>;
  readonly people: People;
  /** Lines that the service logged. */
  readonly logged: () => readonly Record<string, unknown>[];
  /** What a signal to stop begins with. */
  readonly drain: () => void;
  readonly jobs: CertManager['jobs'];
  /** Takes up requests that no one works on any more. */
  readonly takeUpJobs: () => Promise<unknown>;
  /** Completes revocations whose caller got no answer. */
  readonly finishRevocations: () => Promise<unknown>;
  /** The same, to the end. */
  readonly recoverSigning: () => Promise<unknown>;
  /** Corrects moments that a wrong clock stored. */
  readonly pullBack: () => Promise<unknown>;
  /** Works on the renewal queue once. */
  readonly renew: () => Promise<RunReport>;
  /** Asks CAs once when they want certificates renewed. */
  readonly advise: () => Promise<boolean>;
  /** Reviews the FQDNs of spaces whose policies were changed. */
  readonly review: () => Promise<unknown>;
  /** Sends the monitor what is new about certificates. */
  readonly watch: () => Promise<unknown>;
  /** Mends how FQDNs stand where something was missed. */
  readonly sweepStatuses: () => Promise<unknown>;
  readonly readChainEnds: () => Promise<unknown>;
  /** Mends how many FQDNs spaces have where something was missed. */
  readonly sweepSpaceSizes: () => Promise<unknown>;
  /** Probes the targets that are due; false when more are. */
  readonly probe: () => Promise<boolean>;
  /** Sends notices that are due. */
  readonly sendNotices: () => Promise<boolean>;
  readonly sweepNotices: () => Promise<unknown>;
  /** Takes the next step of the canary, when it is due. */
  readonly runCanary: () => Promise<unknown>;
  /** Works on the renewal queue once and reports to the monitor. */
  readonly runRenewalJob: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** The application on a database of its suite. */
export interface SuiteApp extends TestApp {
  /** For other processes beside it. */
  readonly databaseUrl: string;
}

/**
 * Starts the application on a new database of the suite: `app = await startApp(open)` in a `beforeAll` of
 * `describeEachDialect`. Close it in an `afterAll`.
 */
export async function startApp(open: OpenTestDatabase, options: TestAppOptions = {}): Promise<SuiteApp> {
  const { database, url } = await open(schema);
  return { ...(await startAppOn(database, options)), databaseUrl: url };
}

/** As `startApp`, on SQLite alone and outside of `describeEachDialect`; `close` drops the database. */
export async function startAppOnSqlite(options: TestAppOptions = {}): Promise<TestApp> {
  const { database, drop } = await createTestDatabase('sqlite', schema);
  const app = await startAppOn(database, options);
  return {
    ...app,
    close: async () => {
      await app.close();
      await drop();
    },
  };
}

/** Another application on a database that exists already. */
export async function startAppOn(database: Database, options: TestAppOptions = {}): Promise<TestApp> {
  const clock =
    options.beside?.clock ?? createMovableClock(options.now ?? new Date('2026-03-01T12:00:00.000Z'));
  const config = readCertManagerConfig({
    CERT_MANAGER_SETUP_TOKEN_FILE: `/tmp/certloop-setup-token-${randomUUID()}`,
    ...options.environment,
  });
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    service: 'cert-manager',
    level: 'info',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const people = options.beside?.people ?? (await settlePeople(database, clock));
  const app: CertManager = await createApp({
    config,
    database,
    logger,
    clock,
    metrics: createMetrics({ logger, maxAgeMs: 0 }),
    passwordCost: quickCost,
    // as of databases in tests: a machine under load exceeds the usual limits
    answerMs: (operation) => 10 * answerMs(operation),
    renewals: options.renewals ?? {},
    orders: options.orders ?? {},
    ...(options.resolve !== undefined && { resolve: options.resolve }),
    ...(options.steady !== undefined && { steady: options.steady }),
    consoleFolder: options.consoleFolder,
  });
  // one for all requests: supertest opens one for each otherwise, which costs as much as a third of a request
  const server = createTestServer(app.http).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return {
    database,
    clock,
    config,
    http: app.http,
    https: app.https,
    challengeHttp: app.challengeHttp,
    request: overReusedConnections(supertest(server)),
    people,
    logged: () => lines,
    drain: () => app.drain(),
    renew: app.jobs.runRenewals,
    jobs: app.jobs,
    ...roundsOf(app),
    close: async () => {
      await app.close();
      server.close();
    },
  };
}

/** One round of each job that tests run often. */
function roundsOf({ jobs: { run: runJob, idle } }: CertManager) {
  return {
    advise: () => runJob('renewals.advice'),
    review: () => runJob('policies'),
    watch: async () => {
      await runJob('watch.sweep');
      await runJob('watch');
    },
    takeUpJobs: () => runJob('issuance'),
    finishRevocations: () => runJob('revocations'),
    recoverSigning: async () => {
      await runJob('issuance');
      await idle();
    },
    pullBack: async () => {
      await runJob('clock');
      await runJob('renewals.sweep');
    },
    sweepStatuses: () => runJob('standings.sweep'),
    readChainEnds: () => runJob('renewals.sweep'),
    sweepSpaceSizes: () => runJob('spaces.sweep'),
    probe: () => runJob('targets'),
    sendNotices: () => runJob('notices'),
    sweepNotices: () => runJob('notices.sweep'),
    runCanary: () => runJob('watch.canary'),
    runRenewalJob: () => runJob('renewals'),
  };
}
