import { availableParallelism } from 'node:os';
import { createLogger, listen, runService, startTracing, systemClock } from '@certloop/server';
import { openAcmeIssuer } from './acme/issuance/acme-issuer.service.js';
import { makeHttpsCertificate } from './acme/issuance/https-certificate.service.js';
import { acmePartsOf } from './acme-config.js';
import { createApp } from './app.js';
import { openAuthority } from './authority/certificate-authority.service.js';
import { createSecondThread } from './authority/second-thread.service.js';
import { noState, openStateFile } from './authority/state.store.js';
import { loadConfig } from './config.js';
import { answerUnparsed } from './signing/unparsed-requests.responder.js';
import { withStoredIntermediate, withStoredRoot } from './stored-authority.service.js';

const service = 'dummy-ca';

void runService(service, async (onClose) => {
  const config = loadConfig();
  const logger = createLogger({ service, level: config.logLevel });
  onClose(await startTracing(service, config));
  for (const name of config.unknownNames) logger.warn({ name }, 'config.unknown_setting');
  const secondThread = availableParallelism() > 1 ? createSecondThread(logger) : undefined;
  if (secondThread !== undefined) onClose(secondThread.close);
  const state = config.stateFile === undefined ? noState : openStateFile(config.stateFile);
  onClose(async () => state.close());
  const hasState = state !== noState;
  const source = hasState ? await withStoredRoot(config, state, systemClock) : config;
  const authority = await openAuthority(source, systemClock, secondThread?.spread);
  const storeLimits = { count: config.keep, octets: config.keepMebibytes * 1_048_576 };
  const intermediate = hasState ? await withStoredIntermediate(config, authority, state) : config;
  // what was made is on disk before anybody is shown it
  state.commit();
  const issuer = await openAcmeIssuer(authority, intermediate, systemClock);
  const acme = { issuer, ...acmePartsOf(config) };
  const tls =
    config.httpsPort === undefined
      ? undefined
      : await makeHttpsCertificate(authority, config.httpsNames, systemClock);
  const own = tls === undefined ? [] : [{ issuer: authority.name, der: tls.der }];
  const app = createApp({
    authority,
    storeLimits,
    own,
    acme,
    status: config,
    lint: config.lint,
    metricsAccess: config,
    clock: systemClock,
    logger,
    state,
  });
  if (config.httpsPort !== undefined && tls !== undefined) {
    const secure = await listen(app, { host: config.host, port: config.httpsPort, tls });
    onClose(secure.close);
    answerUnparsed(secure.server);
    logger.info({ url: secure.url }, 'https.started');
  }
  // last, since a service that answers at this port counts as ready
  const listening = await listen(app, config);
  onClose(listening.close);
  answerUnparsed(listening.server);
  logger.info({ url: listening.url, ...authority.root }, 'service.started');
  return logger;
});
