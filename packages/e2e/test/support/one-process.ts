import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CertManager, createApp } from '@certloop/cert-manager/dist/src/app.js';
import { readCertManagerConfig } from '@certloop/cert-manager/dist/src/config.js';
import { schema as managerSchema } from '@certloop/cert-manager/dist/src/database.js';
import { createApp as createMonitor } from '@certloop/check-monitor/dist/src/app.js';
import { createChannel } from '@certloop/check-monitor/dist/src/channels/create-channel.service.js';
import { loadConfig as loadMonitorConfig } from '@certloop/check-monitor/dist/src/config.js';
import { schema as monitorSchema } from '@certloop/check-monitor/dist/src/database.js';
import { microsOf } from '@certloop/check-monitor/dist/src/instants.js';
import { createNotifier } from '@certloop/check-monitor/dist/src/notifications/notifier.service.js';
import { issueKey, setUpProject } from '@certloop/check-monitor/dist/src/projects/create-project.service.js';
import { createCertManagerClient, createCheckMonitorClient, createDummyCaClient } from '@certloop/contracts';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { createApp as createCa } from '@certloop/dummy-ca/dist/src/app.js';
import { openAuthority } from '@certloop/dummy-ca/dist/src/authority/certificate-authority.service.js';
import { loadConfig as loadCaConfig } from '@certloop/dummy-ca/dist/src/config.js';
import { createLogger, createMovableClock, type MovableClock } from '@certloop/server';
import { type Clients, patientCalls } from '../../src/main-job.js';
import { createPresence, type Presence } from './presence.js';

/** An event as the receiver of webhooks got it. */
export interface ReceivedEvent {
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The three services in this process, on databases of their own and one clock; they talk over HTTP. */
export interface OneProcess extends Omit<Presence, 'serve'> {
  readonly clock: MovableClock;
  readonly clients: Clients;
  readonly manager: CertManager;
  /** One round of the monitor's alert loop; what it sends has arrived then. */
  readonly tick: () => Promise<void>;
  /** Messages of the monitor since the last call, as `NAME is STATUS: BODY OF THE LAST PING`. */
  readonly alerts: () => string[];
  /** Notices of cert-manager since the last call, those that wait included. */
  readonly notices: () => Promise<readonly ReceivedEvent[]>;
  /** Calls of the plain ping address of cert-manager. */
  readonly pinged: () => number;
  /** Gives the project of the monitor another key than the one that cert-manager has. */
  readonly replaceKey: () => Promise<void>;
  /** Pulls back moments that a wrong clock stored, in both services. */
  readonly pullBack: () => Promise<void>;
  /** Address of cert-manager, and of the monitor with the key of its project. */
  readonly managerUrl: string;
  readonly monitorAccess: () => { readonly url: string; readonly key: string };
  /** Address of the CA. */
  readonly caUrl: string;
  /** Client of the monitor with the key of a project. */
  readonly monitorOf: (apiKey: string) => Clients['monitor'];
  /** Read-write key of another project in the monitor, of the same owner. */
  readonly otherProjectKey: () => Promise<string>;
  /** Ends cert-manager and starts it with other settings; those that are undefined are left out. */
  readonly restartManager: (changes: Readonly<Record<string, string | undefined>>) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OneProcessOptions {
  /** Checks that the project in the monitor may have. */
  readonly checkLimit?: number;
  /** Environment of cert-manager beside the usual. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the clock stands first. */
  readonly now?: Date;
}

const silent = (service: string) => createLogger({ service, level: 'silent' });

type Closing = (() => Promise<unknown>)[];

export async function startOneProcess(
  open: OpenTestDatabase,
  { checkLimit = 100, environment = {}, now = new Date() }: OneProcessOptions = {},
): Promise<OneProcess> {
  const clock = createMovableClock(now);
  const closing: Closing = [];
  const { serve, ...presence } = createPresence(closing);
  const { receiver, monitor, urls } = await startOthers({ open, clock, checkLimit, closing, serve });
  const { database } = await open(managerSchema);
  const start = createManagerStart({ database, clock }, closing, {
    CHECK_MONITOR_URL: urls.monitor,
    CHECK_MONITOR_API_KEY: monitor.keys.readWriteKey,
    DUMMY_CA_URL: urls.ca,
    HEARTBEAT_PING_URLS: `${urls.receiver}/ping`,
    NOTICE_WEBHOOK_URL: `${urls.receiver}/notices`,
    ...environment,
  });
  let manager = await start({});
  closing.push(() => manager.close());
  const managerUrl = await serve((request, response) => manager.http(request, response));

  const monitorOf = clientOfMonitor(urls.monitor);
  let apiKey = monitor.keys.readWriteKey;
  return {
    clock,
    get manager() {
      return manager;
    },
    get clients() {
      return {
        manager: createCertManagerClient({ ...patientCalls, baseUrl: managerUrl }),
        monitor: monitorOf(apiKey),
        ca: createDummyCaClient({ ...patientCalls, baseUrl: urls.ca }),
      };
    },
    tick: monitor.tick,
    alerts: receiver.takeAlerts,
    notices: async () => {
      while (!(await manager.jobs.run('notices')));
      return receiver.takeEvents();
    },
    pinged: receiver.pinged,
    replaceKey: async () => {
      apiKey = await monitor.replaceKey();
    },
    ...presence,
    pullBack: async () => {
      for (const job of ['clock', 'renewals.sweep'] as const) await manager.jobs.run(job);
      await monitor.pullBack();
    },
    managerUrl,
    monitorAccess: () => ({ url: urls.monitor, key: apiKey }),
    caUrl: urls.ca,
    monitorOf,
    otherProjectKey: monitor.otherProjectKey,
    restartManager: async (changes) => {
      await manager.close();
      manager = await start(changes);
    },
    close: () => closeAll(closing),
  };
}

/** Clients of the monitor by their keys. */
function clientOfMonitor(baseUrl: string) {
  return (apiKey: string) => createCheckMonitorClient({ ...patientCalls, baseUrl, apiKey });
}

async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.reverse()) await close();
}

interface OthersPlace {
  readonly open: OpenTestDatabase;
  readonly clock: MovableClock;
  readonly checkLimit: number;
  readonly closing: Closing;
  readonly serve: Presence['serve'];
}

/** What cert-manager calls: a receiver of messages, the CA and the monitor. */
async function startOthers({ open, clock, checkLimit, closing, serve }: OthersPlace) {
  const receiver = createReceiver();
  const receiverUrl = await serve(receiver.handler);
  const caUrl = await serve(await createAuthority(clock), 'ca');
  const { database } = await open(monitorSchema);
  // its ping addresses have the address at which it is served
  let handler: RequestListener = (_request, response) => void response.writeHead(503).end();
  const monitorUrl = await serve((request, response) => handler(request, response), 'monitor');
  const settings = { alertUrl: `${receiverUrl}/alerts`, siteRoot: monitorUrl };
  const monitor = await startMonitor({ database, clock, checkLimit }, settings, closing);
  handler = monitor.handler;
  const urls = { receiver: receiverUrl, ca: caUrl, monitor: monitorUrl };
  return { receiver, monitor, urls };
}

/** Receives alerts, notices and pings; what is taken is returned once. */
function createReceiver() {
  const alerts: string[] = [];
  const events: ReceivedEvent[] = [];
  let pings = 0;
  const handler: RequestListener = (request, response) => {
    if (request.url === '/ping') pings += 1;
    void text(request).then((body) => {
      if (request.url === '/alerts') alerts.push(body);
      if (request.url === '/notices') events.push(JSON.parse(body) as ReceivedEvent);
      response.writeHead(204).end();
    });
  };
  return {
    handler,
    takeAlerts: () => alerts.splice(0),
    takeEvents: () => events.splice(0),
    pinged: () => pings,
  };
}

async function createAuthority(clock: MovableClock): Promise<RequestListener> {
  const config = loadCaConfig({});
  const authority = await openAuthority(config, clock);
  const ca = { authority, storeLimits: { count: 10_000, octets: 100_000_000 }, status: config };
  return createCa({ ...ca, clock, logger: silent('dummy-ca') });
}

interface ServicePlace {
  readonly database: Awaited<ReturnType<OpenTestDatabase>>['database'];
  readonly clock: MovableClock;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts cert-manager on the same database, each time with changes of the environment. */
function createManagerStart(
  { database, clock }: ServicePlace,
  closing: Closing,
  environment: Environment,
): (changes: Environment) => Promise<CertManager> {
  const tokenFile = join(tmpdir(), `certloop-setup-token-${randomUUID()}`);
  closing.push(() => rm(tokenFile, { force: true }));
  return (changes) =>
    createApp({
      config: readCertManagerConfig({
        AUTH_MODE: 'open',
        CERT_MANAGER_SETUP_TOKEN_FILE: tokenFile,
        NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
        ...environment,
        ...changes,
      }),
      database,
      clock,
      logger: silent('cert-manager'),
      announce: () => undefined,
    });
}

interface MonitorPlace extends ServicePlace {
  readonly checkLimit: number;
}

/** The monitor with a project, whose checks send their messages to the address. */
async function startMonitor(
  { database, clock, checkLimit }: MonitorPlace,
  { alertUrl, siteRoot }: { readonly alertUrl: string; readonly siteRoot: string },
  closing: Closing,
) {
  const config = loadMonitorConfig({
    CHECK_MONITOR_SITE_ROOT: siteRoot,
    CHECK_MONITOR_SECRET: 'a secret for tests only, which is long enough',
    CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
  });
  const parts = {
    db: database,
    clock: { now: () => microsOf(clock.now()) },
    logger: silent('check-monitor'),
  };
  const notifier = createNotifier({ ...parts, config: config.delivery });
  closing.push(() => notifier.close());
  const { clock: microClock, logger } = parts;
  const app = createMonitor({ database, clock: microClock, logger, config, notifier });
  const accounts = { ...parts, secret: config.secret };
  const owner = { email: 'owner@example.org', checkLimit, pingLimit: null };
  const keys = await setUpProject(accounts, owner, 'CertLoop');
  const message = { method: 'POST', url: alertUrl, body: '$NAME is $STATUS: $BODY' };
  await createChannel(
    { ...parts, notifier },
    {
      projectId: keys.projectId,
      kind: 'webhook',
      name: 'People',
      settings: { down: message, up: message },
      isVerified: true,
    },
  );
  return {
    keys,
    handler: app.handler,
    pullBack: app.pullBack,
    tick: async () => {
      await app.tick();
      await app.dispatcher.deliver();
    },
    replaceKey: () => issueKey(accounts, keys.projectId, 'read-write'),
    otherProjectKey: async () => (await setUpProject(accounts, owner, 'Other')).readWriteKey,
  };
}
