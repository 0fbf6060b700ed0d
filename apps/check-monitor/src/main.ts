import {
  type Database,
  type DatabaseOptions,
  DatabaseUnavailable,
  databaseClock,
  openDatabase,
} from '@certloop/db';
import {
  bringUpToDate,
  createLogger,
  createMetrics,
  createSteadyClock,
  findConsole,
  type Logger,
  listen,
  runService,
  StartFailed,
  type SteadyClock,
  startPoller,
  startTracing,
  systemSources,
  watchClock,
} from '@certloop/server';
import { type App, createApp } from './app.js';
import { createSealer } from './channels/seal-stored.service.js';
import { type Config, environment, keyNames, keyRingFor, loadConfig, misspeltSettings } from './config.js';
import { schema } from './database.js';
import type { Clock } from './instants.js';
import { createServiceMetrics } from './metrics/service-metrics.service.js';
import { createNotifier, type Notifier } from './notifications/notifier.service.js';
import { prepareForPings } from './pings/batches/ping-batch.repository.js';
import { listenForMail } from './pings/mail/mail-requests.responder.js';
import { openSealing } from './projects/sealing/open-sealing.service.js';
import { type Sealing, withSealing } from './projects/sealing/sealing.store.js';
import { answerUnparsed } from './projects/unparsed-requests.responder.js';

// a shutdown takes at most 5 s, of which running requests get this part
const drainMs = 2500;
// statements without a response by then fail, so that the shutdown ends in time
const stopMs = 3500;
const sealEveryMs = 10_000;

void runService('check-monitor', async (onClose) => {
  const config = loadConfig(environment);
  const logger = createLogger({ service: 'check-monitor', level: config.logLevel });
  onClose(await startTracing('check-monitor', config));
  for (const name of misspeltSettings(environment)) logger.warn({ name }, 'config.unknown_setting');
  const migrated = await openMigrated(config, logger);
  onClose(() => migrated.close());
  await migrated.transaction(prepareForPings);
  const steady = createSteadyClock(systemSources(databaseClock(migrated)), logger);
  await steady.check();
  const clock: Clock = { now: () => Math.floor(steady.ms() * 1000) };
  const sealing: Sealing = { ring: keyRingFor(config), hasBegun: false, names: keyNames(environment) };
  const database = withSealing(migrated, sealing);
  await openSealing({ db: database, clock }, sealing);
  const watch = createServiceMetrics(createMetrics({ logger }), { db: database, clock });
  watchClock(watch.metrics, steady);
  const { onDelivered, onRefusedCall } = watch;
  const observers = { onDelivered, onRefusedCall };
  const notifier = createNotifier({ config: config.delivery, db: database, logger, clock, ...observers });
  onClose(() => notifier.close());
  const consoleFolder = findConsole('@certloop/web-monitor', import.meta.url);
  if (consoleFolder === undefined) logger.info('console.not_built');
  const { handler, intake, tick, pullBack, noticeFullDisk, drain, dispatcher } = createApp({
    config,
    database,
    logger,
    clock,
    notifier,
    watch,
    consoleFolder,
    findClockFault: steady.fault,
  });
  if (config.mail !== undefined) {
    const mails = await listenForMail({ intake, logger }, config.mail);
    onClose(() => mails.close());
    logger.info({ port: mails.port, domain: config.mail.domain }, 'mail.listening');
  }
  const listening = await listen(handler, { ...config, drainMs });
  onClose(() => listening.close());
  answerUnparsed(listening.server);
  const seal = createSealer({ db: database, clock, logger }, sealing);
  const tickSeal = () => watch.watchJob('secrets', seal);
  const sealer = startPoller({ name: 'secrets', everyMs: sealEveryMs, tick: tickSeal, logger });
  onClose(() => sealer.stop());
  onClose(watchClocks({ steady, pullBack, logger }));
  onClose(
    startAlerts({ tick, noticeFullDisk, dispatcher, notifier, logger, steady, everyMs: config.tickMs }),
  );
  onClose(async () => {
    drain();
    database.giveUpAfter(stopMs);
  });
  logger.info({ url: listening.url, siteRoot: config.addresses.siteRoot }, 'service.started');
  return logger;
});

interface AlertParts extends Pick<App, 'tick' | 'noticeFullDisk' | 'dispatcher'> {
  readonly notifier: Pick<Notifier, 'stop'>;
  readonly logger: Logger;
  readonly steady: SteadyClock;
  readonly everyMs: number;
}

/** Compares the clocks, and corrects moments that a wrong one stored: at once, every minute and after a jump. */
function watchClocks({
  steady,
  pullBack,
  logger,
}: Pick<AlertParts, 'steady' | 'logger'> & Pick<App, 'pullBack'>): () => Promise<void> {
  const mayRun = () => steady.read().isSettled;
  const correct = startPoller({ name: 'clock', mayRun, everyMs: 60_000, tick: pullBack, logger });
  let seen = steady.read().jumps;
  const tick = async () => {
    await steady.check();
    const { isSettled, jumps } = steady.read();
    if (!isSettled || jumps === seen) return;
    seen = jumps;
    correct.trigger();
  };
  const compare = startPoller({ name: 'clock.compare', everyMs: 5000, tick, logger });
  correct.trigger();
  return async () => {
    await Promise.all([compare.stop(), correct.stop()]);
  };
}

/**
 * Starts the alert loop, and separately the deliveries: a slow target must not delay the detection of overdue checks.
 * Returns a function that stops both. It aborts calls and releases their messages; pings are still accepted.
 */
function startAlerts(parts: AlertParts): () => Promise<void> {
  const { tick, noticeFullDisk, dispatcher, notifier, logger, steady, everyMs } = parts;
  // while it is not certain what time it is, no check goes down, and no message is begun or given up
  const timing = { everyMs, mayRun: () => steady.read().isSettled };
  const deliveries = startPoller({ name: 'deliveries', ...timing, tick: () => dispatcher.pump(), logger });
  const loop = async () => {
    await tick();
    deliveries.trigger();
  };
  const alerts = startPoller({ name: 'alerts', ...timing, tick: loop, logger });
  const disk = startPoller({ name: 'alerts.full_disk', everyMs, tick: noticeFullDisk, logger });
  disk.trigger();
  return async () => {
    notifier.stop();
    await Promise.all([alerts.stop(), disk.stop(), deliveries.stop(), dispatcher.stop()]);
  };
}

async function openMigrated(
  { databaseUrl: url, migratesAtStart }: Config,
  logger: Logger,
): Promise<Database> {
  const onWarning: DatabaseOptions['onWarning'] = ({ name, detail }) => logger.warn(detail, name);
  try {
    const database = await openDatabase({ url, schema, onWarning });
    await bringUpToDate(database, { service: 'check-monitor', migratesAtStart, logger });
    return database;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new StartFailed(error.message, { cause: error });
    throw error;
  }
}
