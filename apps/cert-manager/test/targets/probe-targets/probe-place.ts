import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { addTarget, probing, startTlsServer, type TlsServer } from '../../support/monitor/served-place.js';
import { clearInventory, type RenewalPlace, startRenewing } from '../../support/renewals.js';

export const minute = 60_000;
export const hour = 60 * minute;

type Started = RenewalPlace & { readonly server: TlsServer };

/** A service that probes a server; forgets names and further servers after each test. */
export interface ProbePlace extends Started {
  /** Addresses of names, by name. */
  readonly names: Map<string, readonly string[]>;
  /** Called after each look-up of a name. */
  afterLookUp: () => void;
  /** Further servers, which are closed after the test. */
  readonly others: { close(): Promise<void> }[];
  /** Starts a further server at the port of the first one. */
  readonly listen: (options: Parameters<typeof startTlsServer>[0], host: string) => Promise<TlsServer>;
  readonly targetAt: (fqdn: Parameters<typeof addTarget>[1], more?: object) => ReturnType<typeof addTarget>;
}

export function useProbes(open: OpenTestDatabase): ProbePlace {
  const place: ProbePlace = Object.assign({} as Started, {
    names: new Map<string, readonly string[]>(),
    afterLookUp: () => undefined,
    others: [] as { close(): Promise<void> }[],
    listen: async (options: Parameters<typeof startTlsServer>[0], host: string) => {
      const other = await startTlsServer(options, host, place.server.port);
      place.others.push(other);
      return other;
    },
    targetAt: (fqdn: Parameters<typeof addTarget>[1], more: object = {}) =>
      addTarget(place.app, fqdn, { host: '127.0.0.1', port: place.server.port, ...more }),
  });
  const resolve = async (host: string) => {
    const addresses = place.names.get(host);
    if (addresses === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    place.afterLookUp();
    return addresses;
  };
  beforeAll(async () => {
    const server = await startTlsServer({});
    const environment = { ...probing(server.port), METRICS_OPEN: 'true' };
    Object.assign(place, await startRenewing(open, { environment, resolve }), { server });
  });
  afterEach(async () => {
    await clearInventory(place.app);
    place.names.clear();
    for (const other of place.others.splice(0)) await other.close();
  });
  afterAll(async () => {
    await place.server.close();
    await place.close();
  });
  return place;
}
