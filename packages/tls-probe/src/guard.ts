import { BlockList, isIP } from 'node:net';
import { refusalOfAddress } from '@certloop/server/address-rules';

/** Where a probe may connect to. */
export interface ProbeRules {
  /** Private, loopback and carrier-grade addresses are reached only within these networks; link-local and metadata ones never. */
  readonly allowCidrs: readonly string[];
  /** Ports that may be reached; any when absent. */
  readonly ports?: readonly number[];
}

/** Judge of addresses and ports: why a connection is refused, or undefined when it may be made. */
export type Guard = (address: string, port: number) => 'address_not_allowed' | 'port_not_allowed' | undefined;

/** Judge by the rules. Throws RangeError for an invalid network. */
export function createGuard({ allowCidrs, ports }: ProbeRules): Guard {
  const allowed = new BlockList();
  for (const cidr of allowCidrs) {
    const [network = '', bits = ''] = cidr.split('/');
    const version = isIP(network);
    if (version === 0 || !/^\d{1,3}$/.test(bits))
      throw new RangeError(`${cidr} is not a network such as 10.0.0.0/8`);
    allowed.addSubnet(network, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address, port) => {
    if (ports !== undefined && !ports.includes(port)) return 'port_not_allowed';
    const version = isIP(address);
    const allowPrivate = version !== 0 && allowed.check(address, version === 4 ? 'ipv4' : 'ipv6');
    return refusalOfAddress(address, { allowPrivate }) === undefined ? undefined : 'address_not_allowed';
  };
}
