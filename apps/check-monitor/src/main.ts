import { openDatabase } from '@certloop/db';
import { createLogger, listen, runService, startPoller } from '@certloop/server';
import { buildApp } from './app.js';
import { environment, loadConfig, misspeltSettings } from './config.js';
import { schema } from './database.js';
import type { Micros } from './instants.js';

await runService('check-monitor', async (onClose) => {
  const config = loadConfig(environment);
  const logger = createLogger({ service: 'check-monitor', level: config.logLevel });
  for (const name of misspeltSettings(environment)) logger.warn({ name }, 'config.unknown_setting');
  const database = await openDatabase({
    url: config.databaseUrl,
    schema,
    onWarning: ({ name, detail }) => logger.warn(detail, name),
  });
  onClose(() => database.close());
  await database.migrate();
  const { handler, tick } = buildApp({ config, database, logger, now: createMicroClock() });
  const poller = startPoller({ name: 'alerts', everyMs: config.tickMs, tick, logger });
  onClose(() => poller.stop());
  const listening = await listen(handler, config);
  onClose(() => listening.close());
  logger.info({ url: listening.url, siteRoot: config.addresses.siteRoot }, 'service.started');
  return logger;
});

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
