import type { TargetInput, WatchedServerInput } from '@certloop/contracts';
import { usualPorts } from '@certloop/tls-probe/rules';
import ipaddr from 'ipaddr.js';
import { normalHostname } from '../../judging/hostname.js';
import { readTargetHost, refusalOfField } from '../target-input.js';

/** A server to watch: the name of its FQDN, and the target to create. */
export interface ServerToWatch {
  readonly name: string;
  readonly target: TargetInput & Required<Pick<TargetInput, 'host' | 'port' | 'protocol' | 'sni' | 'mode'>>;
}

/**
 * Reads a server to watch. Its FQDN is the name that it is asked for, unless another one is given. Throws InvalidInput that
 * names the field: a host or name in an odd spelling, an address without a name.
 */
export function readServerToWatch(input: WatchedServerInput): ServerToWatch {
  const host = readTargetHost(input.host, 'host');
  const isAddress = ipaddr.isValid(host);
  const sni = input.sni === undefined ? undefined : readTargetHost(input.sni, 'sni');
  const given = input.fqdn ?? sni;
  if (given === undefined && isAddress)
    throw refusalOfField(
      'fqdn_required',
      'fqdn',
      `${host} is an IP address. Add the host name that clients use there as fqdn, such as www.example.com.`,
    );
  const name = normalHostname(given ?? host);
  const isWildcard = name.startsWith('*.');
  if (sni === undefined && isWildcard && isAddress)
    throw refusalOfField(
      'sni_required',
      'sni',
      `${name} is a wildcard, and ${host} an IP address. Add a name that is served there as sni, such as www${name.slice(1)}.`,
    );
  const { protocol = 'tls', mode = 'probe' } = input;
  const port = input.port ?? usualPorts[protocol];
  return { name, target: { host, port, protocol, sni: sni ?? (isWildcard ? host : name), mode } };
}
