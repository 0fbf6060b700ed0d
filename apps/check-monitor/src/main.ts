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
import { type Config, environment, loadConfig, misspeltSettings } from './config.js';
import { schema } from './database.js';
import type { Clock } from './instants.js';
import { createServiceMetrics } from './metrics/service-metrics.service.js';
import { createNotifier, type Notifier } from './notifications/notifier.service.js';
import { prepareForPings } from './pings/batches/ping-batch.repository.js';
import { listenForMail } from './pings/mail/mail-requests.responder.js';
import { answerUnparsed } from './projects/unparsed-requests.responder.js';

// a stop ends within 5 s: running requests get so long
const drainMs = 2500;
// what a silent database has not answered by then fails, so that the stop ends in time
const stopMs = 3500;

void runService('check-monitor', async (onClose) => {
  const config = loadConfig(environment);
  const logger = createLogger({ service: 'check-monitor', level: config.logLevel });
  onClose(await startTracing('check-monitor', config));
  for (const name of misspeltSettings(environment)) logger.warn({ name }, 'config.unknown_setting');
  const database = await openMigrated(config, logger);
  onClose(() => database.close());
  await database.transaction(prepareForPings);
  const clock = createMicroClock();
  const watch = createServiceMetrics(createMetrics({ logger }), { db: database, clock });
  const { onDelivered, onRefusedCall } = watch;
  const observers = { onDelivered, onRefusedCall };
  const notifier = createNotifier({ config: config.delivery, db: database, logger, clock, ...observers });
  onClose(() => notifier.close());
  const consoleFolder = findConsole('@certloop/web-monitor', import.meta.url);
  if (consoleFolder === undefined) logger.info('console.absent');
  const { handler, intake, tick, drain, dispatcher } = createApp({
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
  onClose(startAlerts({ tick, dispatcher, notifier, logger, everyMs: config.tickMs }));
  onClose(async () => {
    drain();
    database.giveUpAfter(stopMs);
  });
  logger.info({ url: listening.url, siteRoot: config.addresses.siteRoot }, 'service.started');
  return logger;
});

interface AlertParts extends Pick<App, 'tick' | 'dispatcher'> {
  readonly notifier: Pick<Notifier, 'stop'>;
  readonly logger: Logger;
  readonly everyMs: number;
}

/**
 * Starts the alert loop, and apart from it the deliveries: a target that is slow must not keep checks from falling.
 * Returns what stops both: calls are broken off and their messages given back, while pings are still taken.
 */
function startAlerts({ tick, dispatcher, notifier, logger, everyMs }: AlertParts): () => Promise<void> {
  const deliveries = startPoller({ name: 'deliveries', everyMs, tick: () => dispatcher.pump(), logger });
  const loop = async () => {
    await tick();
    deliveries.trigger();
  };
  const alerts = startPoller({ name: 'alerts', everyMs, tick: loop, logger });
  return async () => {
    notifier.stop();
    await Promise.all([alerts.stop(), deliveries.stop(), dispatcher.stop()]);
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

/** The present to the microsecond: the monotonic clock, set again when the system's clock is moved. */
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
