import ipaddr from 'ipaddr.js';
import type { GeneralNames } from '../names/general-names.js';
import { readHostname } from '../names/hostnames.js';
import { isReservedName } from '../names/reserved-names.js';

/** Codes of findings about single names. */
export type NameCode =
  | 'invalid_names'
  | 'wildcard_misplaced'
  | 'not_an_a_label'
  | 'san_underscore'
  | 'san_reserved'
  | 'san_single_label'
  | 'san_private_address';

/** Names of a subjectAltName, by what is to say about them. */
export interface JudgedNames {
  /** Each host name and address once, as they are in the CSR, in its order. */
  readonly faults: ReadonlyMap<NameCode, readonly string[]>;
  /** Host names in lower case and addresses that are there more than once. */
  readonly repeated: readonly string[];
}

export function judgeNames({
  dnsNames,
  ipAddresses,
}: Pick<GeneralNames, 'dnsNames' | 'ipAddresses'>): JudgedNames {
  const faults = new Map<NameCode, string[]>();
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const judge = (name: string, codeOf: (name: string) => NameCode | undefined) => {
    const key = name.toLowerCase();
    if (seen.has(key)) return repeated.add(key);
    seen.add(key);
    const code = codeOf(name);
    if (code === undefined) return undefined;
    const found = faults.get(code);
    if (found === undefined) faults.set(code, [name]);
    else found.push(name);
    return undefined;
  };
  for (const name of dnsNames) judge(name, hostCode);
  for (const address of ipAddresses) judge(address, addressCode);
  return { faults, repeated: [...repeated] };
}

/** Code of the finding about a host name of a subjectAltName; undefined where there is none. */
export function hostCode(name: string): NameCode | undefined {
  const host = name.toLowerCase();
  const { hostname } = readHostname(host);
  const base = host.startsWith('*.') ? host.slice(2) : host;
  if (hostname === undefined) return unreadableCode(base);
  // a name in a certificate has no final dot
  if (base.endsWith('.')) return 'invalid_names';
  if (isReservedName(base)) return 'san_reserved';
  return base.includes('.') ? undefined : 'san_single_label';
}

function unreadableCode(base: string): NameCode {
  if (base.includes('*')) return 'wildcard_misplaced';
  const labels = base.split('.');
  if (labels.some((label) => label.startsWith('xn--') && readHostname(label).hostname === undefined)) {
    return 'not_an_a_label';
  }
  const withoutUnderscores = base.replaceAll('_', 'x');
  const isUnderscored =
    withoutUnderscores !== base && readHostname(withoutUnderscores).hostname !== undefined;
  return isUnderscored ? 'san_underscore' : 'invalid_names';
}

/** Code of the finding about an IP address; undefined for one of the public Internet. */
export function addressCode(address: string): NameCode | undefined {
  return ipaddr.parse(address).range() === 'unicast' ? undefined : 'san_private_address';
}
