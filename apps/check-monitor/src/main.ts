import { type Database, type DatabaseOptions, DatabaseUnavailable, openDatabase } from '@certloop/db';
import {
  bringUpToDate,
  createLogger,
  createMetrics,
  type Logger,
  listen,
  runService,
  StartFailed,
  startPoller,
  startTracing,
} from '@certloop/server';
import { buildApp } from './app.js';
import { createNotifier } from './channels/notifier.service.js';
import { type Config, environment, loadConfig, misspeltSettings } from './config.js';
import { schema } from './database.js';
import type { Micros } from './instants.js';
import { createServiceMetrics } from './metrics/service-metrics.service.js';
import { listenForMail } from './pings/mail-requests.responder.js';
import { prepareForPings } from './pings/ping-batch.repository.js';
import { answerUnparsed } from './projects/unparsed-requests.responder.js';

await runService('check-monitor', async (onClose) => {
  const config = loadConfig(environment);
  const logger = createLogger({ service: 'check-monitor', level: config.logLevel });
  onClose(await startTracing('check-monitor', config));
  for (const name of misspeltSettings(environment)) logger.warn({ name }, 'config.unknown_setting');
  const database = await openMigrated(config, logger);
  onClose(() => database.close());
  await database.transaction(prepareForPings);
  const now = createMicroClock();
  const watch = createServiceMetrics(createMetrics({ logger }), { database, now });
  const { onDelivered, onRefusedCall } = watch;
  const told = { onDelivered, onRefusedCall };
  const notifier = createNotifier({ config: config.telling, database, logger, now, ...told });
  onClose(() => notifier.close());
  const { handler, intake, tick, drain, deliver } = buildApp({
    config,
    database,
    logger,
    now,
    notifier,
    watch,
  });
  // apart from the alert loop: a target that is slow must not keep checks from falling
  const workers = Array.from({ length: config.deliveryWorkers }, () => {
    const worker = startPoller({
      name: 'deliveries',
      everyMs: config.tickMs,
      tick: async () => {
        if (await deliver()) worker.trigger();
      },
      logger,
    });
    return worker;
  });
  onClose(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
  const alerts = startPoller({
    name: 'alerts',
    everyMs: config.tickMs,
    tick: async () => {
      await tick();
      for (const worker of workers) worker.trigger();
    },
    logger,
  });
  onClose(() => alerts.stop());
  if (config.mail !== undefined) {
    const mails = await listenForMail({ database, intake, logger }, config.mail);
    onClose(() => mails.close());
    logger.info({ port: mails.port, domain: config.mail.domain }, 'mail.listening');
  }
  const listening = await listen(handler, config);
  onClose(() => listening.close());
  onClose(async () => {
    drain();
    database.giveUpAfter(stopMs);
  });
  answerUnparsed(listening.server);
  logger.info({ url: listening.url, siteRoot: config.addresses.siteRoot }, 'service.started');
  return logger;
});

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

// what a silent database has not answered by then fails, so that the stop ends in time
const stopMs = 8000;

const allowedDriftMs = 5;

/** The present to the microsecond: the monotonic clock, set again when the system's clock is moved. */
function createMicroClock(): () => Micros {
  let originMs = performance.timeOrigin;
  return () => {
    const systemMs = Date.now();
    if (Math.abs(originMs + performance.now() - systemMs) > allowedDriftMs) {
      originMs = systemMs - performance.now();
    }
    return Math.floor((originMs + performance.now()) * 1000);
  };
}
