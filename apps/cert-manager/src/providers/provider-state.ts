import { nameServerText, readNameServer } from '../acme/dns/name-server.js';
import type { Config } from './changes/stored-config.js';
import type { ProviderKind } from './provider-kind.js';

interface StoredProvider {
  readonly config: Config | null;
  readonly environmentAddress: string | null;
}

/** The first key that a configuration lacks, or that is not valid; undefined when it is complete. */
export function missingKey(kind: ProviderKind, config: Config): string | undefined {
  const [issue] = kind.schema.safeParse(config).error?.issues ?? [];
  if (issue === undefined) return undefined;
  return issue.path.length > 0 ? issue.path.join('.') : 'config';
}

/**
 * Returns the changes that follow from this address of the environment: a provider that was never configured is
 * configured and enabled; one whose address came from the environment follows it; what was set manually stays.
 */
export function followEnvironment(
  kind: ProviderKind,
  stored: StoredProvider,
  address: string | undefined,
): { config: Config; environmentAddress: string; enabled?: true } | undefined {
  if (address === undefined) return undefined;
  if (stored.config === null) {
    return { config: kind.fromAddress(address), environmentAddress: address, enabled: true };
  }
  if (stored.environmentAddress === null || stored.environmentAddress === address) return undefined;
  return { config: { ...stored.config, [kind.addressKey]: address }, environmentAddress: address };
}

/** Every address that a configuration has called, with the path of its key. */
export function targetsOf(
  { addressPaths }: ProviderKind,
  config: Config,
): readonly { readonly path: string; readonly address: string }[] {
  return addressPaths.flatMap((path) => {
    const value = valueAt(config, path);
    if (typeof value === 'string') return [{ path, address: value }];
    const listed = Array.isArray(value) ? value.map(String) : [];
    return listed.map((address, index) => ({ path: `${path}[${index}]`, address: serverUrl(address) }));
  });
}

/** A name server as an address with a scheme. */
function serverUrl(text: string): string {
  const server = readNameServer(text);
  return `dns://${server === undefined ? text : nameServerText(server)}`;
}

/** Scheme, host and port of an address of the configuration, by which its receiver is known. */
export function addressOriginOf(config: Config, path: string): string | undefined {
  const address = valueAt(config, path);
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  // not `origin`, which is null for dns addresses
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/** Value at a dotted path such as `challenge.dns.url`. */
function valueAt(config: Config, path: string): unknown {
  let value: unknown = config;
  for (const step of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Config)[step] : undefined;
  }
  return value;
}
