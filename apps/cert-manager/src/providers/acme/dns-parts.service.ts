import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { UpstreamFailed } from '@certloop/contracts';
import { type Clock, type KeyedLimiter, refusalOfAddress } from '@certloop/server';
import type { DnsBackend } from '../../acme/dns/dns-backend.js';
import { acmeDnsBackend, updateBackend, webhookBackend } from '../../acme/dns/dns-backends.service.js';
import { createDnsView } from '../../acme/dns/dns-view.client.js';
import { readNameServer, readServerUrl } from '../../acme/dns/name-server.js';
import type { Pause } from '../../acme/orders/order-run.service.js';
import type { Outgoing } from '../outgoing.client.js';
import type { AcmeConfig } from './acme-config.js';

type DnsConfig = NonNullable<AcmeConfig['challenge']['dns']>;

interface BackendTerms {
  readonly allowPrivate: boolean;
  readonly requestMs: number;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly pause: Pause;
  readonly limitByName: KeyedLimiter;
}

/** The service that publishes the proofs in their zone. */
export function dnsBackendOf(dns: DnsConfig, terms: BackendTerms): DnsBackend {
  const { allowPrivate, requestMs, outgoing, clock, pause, limitByName } = terms;
  const { url, authHeader, mode, tsig, acmeDns, zone } = dns;
  const { resolvers, timeoutS, intervalS } = dns.propagation;
  const refusalOf = (address: string) => refusalOfAddress(address, { allowPrivate });
  const view = createDnsView({
    resolvers: resolvers
      .map(readNameServer)
      .filter((server) => server !== undefined)
      .filter(({ host }) => refusalOf(host) === undefined),
    refusalOf,
  });
  const deps = { propagation: { view, timeoutS, intervalS }, pause, limitByName };
  const server = readServerUrl(url);
  if (tsig !== undefined && server !== undefined && dns.kind === 'rfc2136') {
    const { host, port } = server;
    const key = { name: tsig.name, secret: new Uint8Array(Buffer.from(tsig.secret, 'base64')) };
    const resolveServer = () => validatedAddress(host, allowPrivate);
    const findZone = (name: string) => view.zoneOf(name);
    return updateBackend({ resolveServer, port, zone, findZone, key, clock, requestMs }, deps);
  }
  const sendAs = (subject: string) => outgoing.sendTo({ address: url, allowPrivate }, subject);
  if (acmeDns !== undefined && dns.kind === 'acme-dns') {
    return acmeDnsBackend({ fetch: sendAs('acme-dns'), url, requestMs, ...acmeDns }, deps);
  }
  return webhookBackend({ fetch: sendAs('the DNS webhook'), url, authHeader, mode, requestMs }, deps);
}

/** Address of a name server, looked up once and judged, so that the call goes where the judgement was about. */
async function validatedAddress(host: string, allowPrivate: boolean): Promise<string> {
  const address = isIP(host) === 0 ? await addressOf(host) : host;
  const reason = refusalOfAddress(address, { allowPrivate });
  if (reason === undefined) return address;
  throw new UpstreamFailed(`${host} is not called: it ${reason}`, { code: 'target_refused' });
}

async function addressOf(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (cause) {
    throw new UpstreamFailed(`${host} has no address`, { cause });
  }
}
