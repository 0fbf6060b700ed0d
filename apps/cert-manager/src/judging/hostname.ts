import { InvalidInput } from '@certloop/contracts';
import { readHostname } from '@certloop/crypto';

export { coversHostname, type HostnameReading, readHostname } from '@certloop/crypto';

/**
 * Normal form of a host name: A-labels in lower case, without the final dot, and perhaps with `*` as its
 * leftmost label. Throws InvalidInput with the reason.
 */
export function normalHostname(text: string): string {
  const { hostname, fault } = readHostname(text);
  if (hostname !== undefined) return hostname;
  throw new InvalidInput(`fqdn: ${fault}`, {
    code: 'invalid_hostname',
    title: 'Not a host name',
    fields: [{ path: 'fqdn', code: 'invalid_hostname', message: fault }],
  });
}
