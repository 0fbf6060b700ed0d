import type { Ping } from '@certloop/contracts';
import { isoMicros } from '../instants.js';
import { roundedSeconds } from './durations.js';

/** Parts of a stored ping that are shown. */
interface ShownPing {
  readonly signal: Ping['type'];
  readonly at: number;
  readonly n: number;
  readonly scheme: string;
  readonly remoteAddr: string | null;
  readonly method: string;
  readonly userAgent: string;
  readonly runId: string | null;
  readonly hasBody: boolean;
}

/** Pings on the wire; `base` is the address of the log that they are in, without a trailing slash. */
export function describePings(
  {
    pings,
    durations,
  }: { readonly pings: readonly ShownPing[]; readonly durations: ReadonlyMap<number, number> },
  base: string,
): Ping[] {
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
