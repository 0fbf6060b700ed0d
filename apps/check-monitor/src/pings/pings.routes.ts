import type { Handlers, Ping, pingLogContract } from '@certloop/contracts';
import type { Addresses } from '../checks/check-view.js';
import { isoMicros } from '../instants.js';
import type { Caller } from '../projects/caller.js';
import { roundedSeconds } from './durations.js';
import { listPings, type PingPage, type PingsDeps, readPingBody } from './pings.service.js';

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

function describePings({ pings, durations }: PingPage, base: string): Ping[] {
  return pings.map((ping) => {
    const duration = durations.get(ping.n);
    return {
      type: ping.signal,
      date: isoMicros(ping.at),
      n: ping.n,
      scheme: ping.scheme,
      remote_addr: ping.remoteAddr,
      method: ping.method,
      ua: ping.userAgent,
      rid: ping.runId,
      body_url: ping.hasBody ? `${base}/${ping.n}/body` : null,
      ...(duration === undefined ? {} : { duration: roundedSeconds(duration) }),
    };
  });
}
