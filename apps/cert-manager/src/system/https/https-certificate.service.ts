import type { Clock, Logger, TlsPair } from '@certloop/server';
import type { Outgoing } from '../../providers/outgoing.client.js';
import { createIssuedPair } from './issued-pair.client.js';
import { createPairFiles } from './pair-files.store.js';
import type { PairSource, ReadPair } from './read-pair.service.js';

/** The key and the certificate of the https listener, which are replaced while it runs. */
export interface HttpsCertificate {
  /** Reads the first pair. Throws StartFailed if it is unusable. */
  open(): Promise<TlsPair | undefined>;
  /** Calls `use` with each pair that replaces the first one. */
  follow(use: (pair: TlsPair) => void): void;
  /** Takes over a pair that has replaced the one in use, if there is one. */
  refresh(): Promise<void>;
}

interface HttpsOptions {
  readonly config: {
    readonly httpsPort?: number | undefined;
    readonly tlsCertFile?: string | undefined;
    readonly tlsKeyFile?: string | undefined;
    readonly httpsNames: readonly string[];
    readonly dummyCaUrl?: string | undefined;
  };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the certificate of the https listener; undefined if the service has none. */
export function createHttpsCertificate(
  options: HttpsOptions,
  outgoing: Outgoing,
): HttpsCertificate | undefined {
  const { config, logger } = options;
  if (config.httpsPort === undefined) return undefined;
  const source = sourceOf(options, outgoing);
  let inUse: ReadPair | undefined;
  let use: (pair: TlsPair) => void = () => undefined;
  const take = (pair: ReadPair) => {
    inUse = pair;
    logger.info({ notAfter: pair.notAfter.toISOString() }, 'https.certificate_in_use');
  };
  return {
    open: async () => {
      const pair = await source.first();
      if (pair !== undefined) take(pair);
      return pair;
    },
    follow: (newUse) => {
      use = newUse;
    },
    refresh: async () => {
      const pair = await source.next(inUse);
      if (pair === undefined) return;
      use(pair);
      take(pair);
    },
  };
}

function sourceOf({ config, clock, logger }: HttpsOptions, outgoing: Outgoing): PairSource {
  const { tlsCertFile: cert, tlsKeyFile: key, httpsNames: names, dummyCaUrl = '' } = config;
  if (cert !== undefined && key !== undefined) return createPairFiles({ cert, key }, { clock, logger });
  const fetch = outgoing.fetchFor({ address: dummyCaUrl, allowPrivate: false });
  return createIssuedPair({ baseUrl: dummyCaUrl, names, fetch }, { clock, logger });
}
