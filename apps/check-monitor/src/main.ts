import { type Database, type DatabaseOptions, DatabaseUnavailable, openDatabase } from '@certloop/db';
import {
  bringUpToDate,
  createLogger,
  createMetrics,
  findConsole,
  type Logger,
  listen,
  runService,
  StartFailed,
  startPoller,
  startTracing,
} from '@certloop/server';
import { type App, createApp } from './app.js';
import { createSealer } from './channels/seal-stored.service.js';
import { type Config, environment, keyRingFor, loadConfig, misspeltSettings } from './config.js';
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
  const clock = createMicroClock();
  const sealing: Sealing = { ring: keyRingFor(config), hasBegun: false };
  const database = withSealing(migrated, sealing);
  await openSealing({ db: database, clock }, sealing);
  const watch = createServiceMetrics(createMetrics({ logger }), { db: database, clock });
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
  const corrector = startPoller({ name: 'clock', everyMs: 60_000, tick: pullBack, logger });
  onClose(() => corrector.stop());
  corrector.trigger();
  onClose(startAlerts({ tick, noticeFullDisk, dispatcher, notifier, logger, everyMs: config.tickMs }));
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
  readonly everyMs: number;
}

/**
 * Starts the alert loop, and separately the deliveries: a slow target must not delay the detection of overdue checks.
 * Returns a function that stops both. It aborts calls and releases their messages; pings are still accepted.
 */
function startAlerts(parts: AlertParts): () => Promise<void> {
  const { tick, noticeFullDisk, dispatcher, notifier, logger, everyMs } = parts;
  const deliveries = startPoller({ name: 'deliveries', everyMs, tick: () => dispatcher.pump(), logger });
  const loop = async () => {
    await tick();
    deliveries.trigger();
  };
  const alerts = startPoller({ name: 'alerts', everyMs, tick: loop, logger });
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

const allowedDriftMs = 5;

/** Reads the time in microseconds from the monotonic clock, and adjusts it when the system's clock was changed. */
function createMicroClock(): Clock {
  let originMs = performance.timeOrigin;
  return {
    now: () => {
      const systemMs = Date.now();
      if (Math.abs(originMs + performance.now() - systemMs) > allowedDriftMs) {
        originMs = systemMs - performance.now();
      }
      return Math.floor((originMs + performance.now()) * 1000);
    },
  };
}
