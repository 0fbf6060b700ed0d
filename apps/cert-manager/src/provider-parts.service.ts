import type { SteadyClock } from '@certloop/server';
import { pauseUntil } from './acme/orders/order-run.service.js';
import type { AppOptions } from './app-options.js';
import { ensureProviders, type ProviderAddresses } from './providers/changes/ensure-providers.service.js';
import { createProviderOpener } from './providers/open-provider.service.js';
import { createOutgoing, type Outgoing } from './providers/outgoing.client.js';
import { providerKinds } from './providers/provider-kinds.js';
import type { createServiceMetrics } from './system/service-metrics.service.js';

/**
 * What calls certificate authorities, after their rows exist.
 *
 * @param stopping ends the calls that are open, and the waits between them
 */
export async function providerParts(
  { config, database: db, logger, clock, steady, orders }: AppOptions,
  watch: ReturnType<typeof createServiceMetrics>,
  stopping: AbortSignal,
) {
  const addresses: ProviderAddresses = Object.fromEntries(
    Object.values(providerKinds).map(({ name, addressSetting }) => [
      name,
      addressSetting && config[addressSetting],
    ]),
  );
  await ensureProviders({ db, clock, logger }, addresses);
  const ways = createOutgoing({
    trusted: Object.values(addresses).filter((address) => address !== undefined),
    onRefused: watch.onRefusedCall,
  });
  const outgoing = steady === undefined ? ways : withDates(ways, steady);
  const unwatched = createProviderOpener({
    outgoing,
    keyRing: config.encryptionKeys,
    clock,
    db,
    logger,
    stopping,
    pause: pauseUntil(stopping),
    atMoment: async () => undefined,
    ...orders,
  });
  return {
    addresses,
    outgoing,
    opener: watch.watchOpener(unwatched, 'issuance'),
    renewalOpener: watch.watchOpener(unwatched, 'renewal'),
  };
}

/** Shows the clock what time the CAs say it is. */
function withDates(outgoing: Outgoing, { noteCaDate }: SteadyClock): Outgoing {
  return {
    ...outgoing,
    fetchFor: (target) => {
      const call = outgoing.fetchFor(target);
      return async (...request) => {
        const response = await call(...request);
        noteCaDate(response.headers.get('date'));
        return response;
      };
    },
  };
}
