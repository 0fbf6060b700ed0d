import { databaseClock } from '@certloop/db';
import {
  createLogger,
  createSteadyClock,
  findConsole,
  type Listening,
  listen,
  runService,
  startTracing,
  systemSources,
} from '@certloop/server';
import { type CertManager, createApp } from './app.js';
import { type Config, misspeltSettings, readCertManagerConfig } from './config.js';
import { openMigrated } from './database.js';
import { answerUnparsed } from './http/unparsed-requests.responder.js';

void runService('cert-manager', async (onClose) => {
  const config = readCertManagerConfig();
  const logger = createLogger({ service: 'cert-manager', level: config.logLevel });
  onClose(await startTracing('cert-manager', config));
  for (const name of misspeltSettings()) logger.warn({ name }, 'config.unknown_setting');
  const database = await openMigrated(config, logger);
  onClose(() => database.close());
  const consoleFolder = findConsole('@certloop/web-manager', import.meta.url);
  if (consoleFolder === undefined) logger.info('console.not_built');
  const steady = createSteadyClock(systemSources(databaseClock(database)), logger);
  await steady.check();
  const app = await createApp({ config, database, logger, clock: steady, steady, consoleFolder });
  onClose(() => app.close());
  const { host, http01Port } = config;
  if (http01Port !== undefined) {
    const challenges = await listen(app.challengeHttp, { host, port: http01Port });
    onClose(() => challenges.close());
    answerUnparsed(challenges.server);
    logger.info({ url: challenges.url }, 'http01.listening');
  }
  const secure = await openHttps(app, config);
  const closeHttps = async () => secure?.close();
  onClose(closeHttps);
  if (secure !== undefined) logger.info({ url: secure.url }, 'https.started');
  // last, since a service that responds at this port counts as ready
  const listening = await listen(app.http, config);
  // both at once: each waits for its running requests
  onClose(async () => void (await Promise.all([listening.close(), closeHttps()])));
  answerUnparsed(listening.server);
  onClose(async () => {
    app.drain();
    // statements without a response by then fail, so that the shutdown ends in time
    database.giveUpAfter(8000);
  });
  app.jobs.start();
  logger.info({ url: listening.url }, 'service.started');
  return logger;
});

/** Serves the same paths by https, if that has a port. Throws StartFailed for a certificate that cannot be used. */
async function openHttps(
  { http, https }: CertManager,
  { host, httpsPort }: Config,
): Promise<Listening | undefined> {
  if (httpsPort === undefined || https === undefined) return undefined;
  const tls = (await https.open()) ?? 'later';
  const secure = await listen(http, { host, port: httpsPort, tls });
  if (secure.useTls !== undefined) https.follow(secure.useTls);
  answerUnparsed(secure.server);
  return secure;
}
