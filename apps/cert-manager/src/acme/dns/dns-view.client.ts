import { Resolver } from 'node:dns/promises';
import { UpstreamFailed } from '@certloop/contracts';
import type { DnsProof } from './dns-proof.js';
import { type NameServer, nameServerText, selfAndParents } from './name-server.js';

/** The DNS as it is seen from here. */
export interface DnsView {
  /**
   * Name at which the CNAME records of a name end; itself without any, or when no one answers. Throws UpstreamFailed
   * for a chain that is circular or longer than 8.
   */
  effectiveName(name: string): Promise<string>;
  /** The zone that a name lies in; undefined when no one answers. */
  zoneOf(name: string): Promise<string | undefined>;
  /** Name servers of a zone, those omitted that may not be asked. */
  serversOf(zone: string): Promise<readonly NameServer[]>;
  /** Whether the server shows a record; undefined when it does not answer. Without a server, the resolvers. */
  shows(record: DnsProof, server?: NameServer): Promise<boolean | undefined>;
}

export interface DnsViewSettings {
  /** Servers that resolve names, in order of preference; those of this machine when empty. */
  readonly resolvers: readonly NameServer[];
  /** Why an address that the DNS named may not be asked. */
  readonly refusalOf: (address: string) => string | undefined;
  /** Port of the name servers of zones; 53 when absent. */
  readonly zonePort?: number | undefined;
}

const queryMs = 5000;
const maxCnames = 8;
const maxServers = 8;

export function createDnsView({ resolvers, refusalOf, zonePort = 53 }: DnsViewSettings): DnsView {
  const resolver = resolverAt(resolvers);
  return {
    effectiveName: async (name) => {
      const seen = [name];
      for (let current = name; ; ) {
        const next = (await answersOf(resolver.resolveCname(current)))?.[0]?.replace(/\.$/, '').toLowerCase();
        if (next === undefined) return current;
        if (seen.includes(next)) throw badChain(name, 'lead in a circle');
        if (seen.length > maxCnames) throw badChain(name, `are more than ${maxCnames} in a row`);
        seen.push(next);
        current = next;
      }
    },
    zoneOf: async (name) => {
      for (const candidate of selfAndParents(name)) {
        if ((await answersOf(resolver.resolveSoa(candidate))) !== undefined) return candidate;
      }
      return undefined;
    },
    serversOf: async (zone) => {
      const names = (await answersOf(resolver.resolveNs(zone))) ?? [];
      const found = await Promise.all(names.slice(0, maxServers).map((name) => addressesOf(resolver, name)));
      const allowed = [...new Set(found.flat())].filter((address) => refusalOf(address) === undefined);
      return allowed.map((host) => ({ host, port: zonePort }));
    },
    shows: async ({ name, value }, server) => {
      if (server !== undefined) return showsAt(resolverAt([server]), name, value);
      if (resolvers.length === 0) return showsAt(resolver, name, value);
      const shown = await Promise.all(resolvers.map((one) => showsAt(resolverAt([one]), name, value)));
      return shown.every(Boolean);
    },
  };
}

function resolverAt(servers: readonly NameServer[]): Resolver {
  const resolver = new Resolver({ timeout: queryMs, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers.map(nameServerText));
  return resolver;
}

async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const found = await Promise.all([answersOf(resolver.resolve4(name)), answersOf(resolver.resolve6(name))]);
  return found.flatMap((addresses) => addresses ?? []);
}

/** Returns the answer; undefined if it is empty, or if there is none. */
async function answersOf<T>(query: Promise<T>): Promise<T | undefined> {
  return query.catch(() => undefined);
}

// A server that says these has answered: there is no such record.
const nothingThere: readonly (string | undefined)[] = ['ENODATA', 'ENOTFOUND'];

async function showsAt(resolver: Resolver, name: string, value: string): Promise<boolean | undefined> {
  try {
    const records = await resolver.resolveTxt(name);
    return records.some((parts) => parts.join('') === value);
  } catch (error) {
    return nothingThere.includes((error as NodeJS.ErrnoException).code) ? false : undefined;
  }
}

function badChain(name: string, fault: string): UpstreamFailed {
  return new UpstreamFailed(`the CNAME records of ${name} ${fault}`, { code: 'cname_chain' });
}
