import { UpstreamFailed } from '@certloop/contracts';
import { networkReason } from './network-reason.js';

type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export interface ProbeSettings {
  /** Every address of a host name, of both families; none when it does not resolve. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>;
  /** Guarded, never following a redirect, and connecting to this address whatever the name. */
  readonly fetchAt: (address: string) => { readonly fetch: Fetch; readonly close: () => Promise<void> };
  /** Guarded whatever the address, and never following a redirect. */
  readonly fetch: Fetch;
  /** Consequence of a response that cannot be read. */
  readonly selfCheck: 'off' | 'warn' | 'strict';
  readonly requestMs: number;
  /** Port that stands for 80. */
  readonly port?: number;
  /** Called with what users do not see: which address gave which answer. */
  readonly onFault: (reason: string) => void;
}

/** A file that a CA will look for. */
interface Expected {
  readonly host: string;
  readonly token: string;
  readonly answer: string;
}

/**
 * Looks for a published answer as a CA does: under port 80 of the name, over at most 10 redirects, and at each of its
 * addresses, since a CA may take any of them. Undefined when it is everywhere, else a sentence; with `strict` that is
 * UpstreamFailed. The sentence has no reason: the user who chooses the name would learn what answers on the network here.
 */
export async function probeHttp01(settings: ProbeSettings, expected: Expected): Promise<string | undefined> {
  if (settings.selfCheck === 'off') return undefined;
  const reason = await findReason(settings, expected);
  if (reason === undefined) return undefined;
  settings.onFault(reason);
  const sentence = `${expected.host}: the challenge is not reachable from here; the log of cert-manager has the reason`;
  if (settings.selfCheck === 'strict') throw new UpstreamFailed(sentence, { code: 'self_check_failed' });
  return sentence;
}

// A name with more addresses than that is someone's joke.
const maxAddresses = 8;

async function findReason(settings: ProbeSettings, expected: Expected): Promise<string | undefined> {
  const addresses = (await settings.addressesOf(expected.host)).slice(0, maxAddresses);
  if (addresses.length === 0) return 'as the name has no address';
  const faults = await Promise.all(addresses.map((address) => findFault(settings, expected, address)));
  const failed = addresses.flatMap((address, index) => {
    const fault = faults[index];
    return fault === undefined ? [] : [`at ${address}: ${fault}`];
  });
  if (failed.length === 0) return undefined;
  const reachable = addresses.filter((_, index) => faults[index] === undefined);
  const though = reachable.length === 0 ? '' : `, though it can at ${reachable.join(' and ')}`;
  return `${failed.join('; ')}${though}`;
}

// As public CAs do.
const maxRedirects = 10;

async function findFault(
  settings: ProbeSettings,
  { host, token, answer }: Expected,
  at: string,
): Promise<string | undefined> {
  const name = host.includes(':') ? `[${host}]` : host;
  const port = settings.port === undefined ? '' : `:${settings.port}`;
  const first = settings.fetchAt(at);
  let fetch = first.fetch;
  let address = `http://${name}${port}/.well-known/acme-challenge/${token}`;
  try {
    for (let count = 0; count <= maxRedirects; count += 1) {
      const response = await fetch(address, { signal: AbortSignal.timeout(settings.requestMs) });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return await faultOf(response, answer);
      }
      const next = new URL(location, address);
      if (!isPortOfCas(next, settings.port)) return `it leads to port ${next.port}, where CAs do not follow`;
      address = next.href;
      // where it leads to has addresses of its own
      fetch = settings.fetch;
    }
    return 'there are too many redirects';
  } catch (error) {
    return networkReason(error);
  } finally {
    await first.close();
  }
}

/** Boulder follows redirects to the ports 80 and 443 alone; elsewhere other services listen. */
function isPortOfCas({ port }: URL, portFor80: number | undefined): boolean {
  // the URL omits the port of its scheme
  return ['', '80', '443', String(portFor80)].includes(port);
}

async function faultOf(response: Response, answer: string): Promise<string | undefined> {
  if (response.status !== 200) return `it was answered with ${response.status}`;
  return (await response.text()).trimEnd() === answer ? undefined : 'it was answered with something else';
}
