import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hangMs } from '@certloop/contracts/testing';
import { type Database, openDatabase } from '@certloop/db';
import type { OpenTestDatabase } from '@certloop/db/testing';
import {
  createLogger,
  createMetrics,
  createMovableClock,
  createPasswords,
  type Logger,
  type MovableClock,
} from '@certloop/server';
import { createTestServer, overReusedConnections } from '@certloop/server/testing';
import supertest from 'supertest';
import type { Dispatcher } from '../../src/alerts/dispatch.service.js';
import { createApp } from '../../src/app.js';
import type { AppConfig } from '../../src/app-options.js';
import { keyRingFor } from '../../src/config.js';
import { schema } from '../../src/database.js';
import { microsOf } from '../../src/instants.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import type { SenderAccounts } from '../../src/integrations/sender-accounts.js';
import { createServiceMetrics } from '../../src/metrics/service-metrics.service.js';
import type { NotifierDeps, NotifierTuning } from '../../src/notifications/delivery.service.js';
import { createNotifier, type Notifier } from '../../src/notifications/notifier.service.js';
import type { PingIntake } from '../../src/pings/intake/receive-ping.service.js';
import { type Setup, setUpProject } from '../../src/projects/create-project.service.js';
import type { AccountDeps } from '../../src/projects/create-user.service.js';
import { openSealing } from '../../src/projects/sealing/open-sealing.service.js';
import { type Sealing, withSealing } from '../../src/projects/sealing/sealing.store.js';
import { noAccounts } from './integration-deps.js';

export const siteRoot = 'https://monitor.example';
export const began = new Date('2026-01-01T12:00:00Z');

const defaults: AppConfig = {
  addresses: { siteRoot, pingEndpoint: `${siteRoot}/ping/` },
  secret: 'a secret for tests only',
  siteName: 'Monitor',
  badgeLabel: 'Monitor',
  checkLimit: 20,
  projectLimit: 5,
  pingLimit: 100,
  pingBodyLimit: 10_000,
  trustedProxies: [],
  metricsKey: undefined,
  deliveryWorkers: 4,
  digestPerMinute: 20,
  // what a busy machine makes slow does not wait for its target
  slowMs: hangMs,
};

export type Answer = supertest.Response;

/** A client with the keys of a project. */
export class Holder {
  readonly #agent: ReturnType<typeof supertest>;
  readonly keys: Setup;

  constructor(agent: ReturnType<typeof supertest>, keys: Setup) {
    this.#agent = agent;
    this.keys = keys;
  }

  get(path: string): supertest.Test {
    return this.#agent.get(inApi(path)).set('X-Api-Key', this.keys.readWriteKey);
  }

  /** With the read-only key. */
  peek(path: string): supertest.Test {
    return this.#agent.get(inApi(path)).set('X-Api-Key', this.keys.readOnlyKey);
  }

  /** Text is sent unchanged, as text/plain. */
  post(path: string, body: object | string = {}): supertest.Test {
    const sent = this.#agent.post(inApi(path)).set('X-Api-Key', this.keys.readWriteKey);
    return typeof body === 'string' ? sent.type('text/plain').send(body) : sent.send(body);
  }

  delete(path: string): supertest.Test {
    return this.#agent.delete(inApi(path)).set('X-Api-Key', this.keys.readWriteKey);
  }

  /** Creates a check and returns its JSON. */
  async check(body: object = {}): Promise<Answer['body']> {
    return (await this.post('/checks/', body).expect(201)).body;
  }

  /** Pings the check. */
  async ping(check: { uuid: string }, suffix = ''): Promise<void> {
    await this.#agent.get(`/ping/${check.uuid}${suffix}`).expect(200);
  }
}

function inApi(path: string): string {
  return path.startsWith('/api/') ? path : `/api/v3${path}`;
}

export interface TestApp {
  readonly http: ReturnType<typeof supertest>;
  readonly handler: RequestListener;
  readonly database: Database;
  readonly url: string;
  readonly sealing: Sealing;
  readonly clock: MovableClock;
  readonly accounts: AccountDeps & { readonly notifier: Notifier };
  address(): AddressInfo;
  readonly intake: PingIntake;
  readonly logger: Logger;
  tick(): Promise<void>;
  /** Corrects moments that a wrong clock stored. */
  pullBack(): Promise<void>;
  drain(): void;
  /** Delivers all waiting messages. */
  deliver(): Promise<void>;
  /** Begins to deliver waiting messages. */
  pump(): Promise<void>;
  /** Aborts deliveries and releases their messages, like a process that stops. */
  stop(): Promise<void>;
  readonly notifier: Notifier;
  /** Simulates another process: a second instance of the service on the same database and clock. */
  openAnother(): Promise<Pick<TestApp, 'tick' | 'deliver' | 'close'>>;
  /** A project with a new owner. */
  newProject(limits?: { checkLimit?: number; pingLimit?: number }): Promise<Holder>;
  close(): Promise<void>;
}

let people = 0;
/** The real ones take a sixth of a second each. */
export const passwords = createPasswords({ N: 16, r: 1, p: 1 });

/** The real service on a fresh database with a clock that tests move. */
export async function openTestApp(
  open: OpenTestDatabase,
  overrides: Partial<AppConfig> = {},
  delivery: DeliveryOptions = {},
): Promise<TestApp> {
  const { database: plain, url } = await open(schema);
  const clock = createMovableClock(began);
  const micros = { now: () => microsOf(clock.now()) };
  const config = { ...defaults, ...overrides };
  const { sealing, database } = await openSealed(plain, config, micros);
  const logger = openLogger(delivery);
  const parts = { secret: config.secret, clock: micros, logger, delivery };
  const watch = createServiceMetrics(createMetrics({ logger, maxAgeMs: 0 }), { db: database, clock: micros });
  const notifier = openNotifier({ ...parts, db: database, ...watch });
  const { handler, intake, tick, pullBack, drain, dispatcher } = createApp({
    config,
    database,
    clock: micros,
    logger,
    notifier,
    passwords,
    watch,
    consoleFolder: delivery.consoleFolder,
  });
  const server = await listenLocally(createTestServer(handler));
  const http = overReusedConnections(supertest(server));
  const accounts = { db: database, clock: micros, secret: config.secret, notifier };
  return {
    http,
    handler,
    database,
    url,
    sealing,
    clock,
    accounts,
    address: () => server.address() as AddressInfo,
    intake,
    logger,
    tick,
    pullBack,
    drain,
    deliver: () => whileAny(dispatcher),
    pump: () => dispatcher.pump(),
    stop: async () => {
      notifier.stop();
      await dispatcher.stop();
    },
    notifier,
    openAnother: () => openAnother(url, config, { ...parts, sealing }),
    newProject: async ({ checkLimit = null, pingLimit = null }: Limits = {}) => {
      people += 1;
      const owner = { email: `person${people}@example.org`, checkLimit, pingLimit };
      return new Holder(http, await setUpProject(accounts, owner, 'Jobs'));
    },
    close: async () => {
      await notifier.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openSealed(plain: Database, config: AppConfig, clock: AccountDeps['clock']) {
  const sealing = { ring: keyRingFor({ encryptionKeys: undefined, ...config }), hasBegun: false };
  const database = withSealing(plain, sealing);
  await openSealing({ db: database, clock }, sealing);
  return { sealing, database };
}

/** A second instance of the service on the same database. */
async function openAnother(
  url: string,
  config: AppConfig,
  { sealing, ...parts }: Omit<NotifierParts, 'db'> & { readonly sealing: Sealing },
): ReturnType<TestApp['openAnother']> {
  const database = withSealing(await openDatabase({ url, schema }), sealing);
  const notifier = openNotifier({ ...parts, db: database });
  const { clock, logger } = parts;
  const { tick, dispatcher } = createApp({ config, database, clock, logger, notifier });
  return {
    tick,
    deliver: () => whileAny(dispatcher),
    close: () => notifier.close().then(() => database.close()),
  };
}

/** Delivery options of a test. */
export interface DeliveryOptions extends NotifierTuning {
  readonly senderAccounts?: Partial<SenderAccounts>;
  /** True when absent. */
  readonly allowPrivateTargets?: boolean;
  readonly egressProxy?: string;
  readonly disabledKinds?: readonly ChannelKind[];
  /** Built pages of the console; none when absent. */
  readonly consoleFolder?: string;
  /** Where log lines go; nothing is logged when absent. */
  readonly logTo?: { write(line: string): void };
}

interface NotifierParts extends Omit<NotifierDeps, 'config' | 'tuning'> {
  readonly secret: string;
  readonly delivery: DeliveryOptions;
}

async function whileAny(dispatcher: Dispatcher): Promise<void> {
  while (await dispatcher.deliver());
}

function openLogger({ logTo: destination }: DeliveryOptions): Logger {
  return createLogger({
    service: 'check-monitor',
    ...(destination === undefined ? { level: 'silent' } : { level: 'info', destination }),
  });
}

/** Notifies channels on this machine. */
function openNotifier({
  secret,
  delivery: {
    senderAccounts: given,
    logTo: _logTo,
    consoleFolder: _consoleFolder,
    allowPrivateTargets = true,
    egressProxy,
    disabledKinds = [],
    ...tuning
  },
  ...parts
}: NotifierParts): Notifier {
  const site = { siteName: 'Monitor', siteRoot, logoUrl: undefined, secret };
  const senderAccounts: SenderAccounts = { ...noAccounts, ...given };
  const config = { site, secret, allowPrivateTargets, egressProxy, disabledKinds, senderAccounts };
  return createNotifier({ ...parts, config, tuning: { timeoutMs: hangMs, ...tuning } });
}

interface Limits {
  readonly checkLimit?: number | null;
  readonly pingLimit?: number | null;
}

function listenLocally(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
