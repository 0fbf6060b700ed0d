import { isIP } from 'node:net';
import { UsageError } from '../faults/command-errors.js';

export interface CertificateNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Beginning of the names of files: the first name, with `_` for anything that is not a letter, digit, dot or hyphen. */
  readonly fileName: string;
}

const hostName =
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Host names and addresses apart, each once. Throws UsageError for what is neither. */
export function certificateNames(names: readonly string[]): CertificateNames {
  const all = [...new Set(names.map((name) => name.toLowerCase()))];
  const wrong = all.find((name) => isIP(name) === 0 && (!hostName.test(name) || name.length > 253));
  if (wrong !== undefined) throw new UsageError(`${wrong} is neither a host name in ASCII nor an IP address`);
  return {
    dnsNames: all.filter((name) => isIP(name) === 0),
    ipAddresses: all.filter((name) => isIP(name) !== 0),
    fileName: (all[0] ?? '').replace(/[^a-z0-9.-]/g, '_'),
  };
}
