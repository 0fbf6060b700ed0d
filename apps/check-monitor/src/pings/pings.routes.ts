import type { Handlers, pingLogContract } from '@certloop/contracts';
import type { Addresses } from '../checks/check-view.js';
import type { Caller } from '../projects/caller.js';
import { describePings } from './ping-view.js';
import { listPings, type PingsDeps, readPingBody } from './pings.service.js';

export interface PingsRouteDeps extends PingsDeps {
  readonly addresses: Addresses;
}

export function pingsHandlers(deps: PingsRouteDeps): Handlers<typeof pingLogContract, Caller> {
  return {
    listPings: async ({ context, params }) => {
      const page = await listPings(deps, context, params.id);
      const base = `${deps.addresses.siteRoot}/api/v${context.version}/checks/${page.uuid}/pings`;
      return { status: 200, body: { pings: describePings(page, base) } };
    },
    getPingBody: async ({ context, params }) => {
      return { status: 200, body: await readPingBody(deps, context, params.id, Number(params.n)) };
    },
  };
}
