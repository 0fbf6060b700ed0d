import type { CsrProfile, CsrSeverity, Fix } from '@certloop/contracts';
import { coversHostname, readHostname } from '../names/hostnames.js';
import { joinNames } from './join-names.js';
import { addressCode, hostCode, type NameCode } from './judged-names.js';
import { again, type CsrLintCode, csrLintCodes, newKey } from './lint-codes.js';
import type { CsrLintOptions } from './lint-facts.js';
import { certreqFile, opensslLine, type Replacement } from './repair-lines.js';
import type { SalvagedNames } from './salvaged-names.js';

/** A finding before its fix is known. */
export interface BareFinding {
  readonly code: CsrLintCode;
  readonly severity: CsrSeverity;
  readonly message: string;
}

/** Returns the fix of each finding of the same CSR; those that need no change have none. */
export function fixesOf(
  findings: readonly BareFinding[],
  names: SalvagedNames,
  options: CsrLintOptions & { readonly maxNames: number },
): (Fix | undefined)[] {
  const { names: replaced, notes } = planNames(names, options);
  const isNewKey = findings.some(
    ({ code, severity }) => severity !== 'info' && csrLintCodes[code].remedy === 'new-key',
  );
  const hash = findings.some(({ code }) => weakHashes.has(code)) ? 'sha256' : undefined;
  const { keyFile } = options;
  const lines = replaced && linesFor({ ...replaced, isNewKey, keyFile, hash });
  return findings.map((finding) => fixOf(finding, { lines, notes, isNewKey }));
}

const weakHashes: ReadonlySet<CsrLintCode> = new Set(['weak_signature', 'signature_unusual']);

function linesFor(replacement: Replacement): Pick<Fix, 'openssl' | 'certreq'> {
  return { openssl: opensslLine(replacement), certreq: certreqFile(replacement) };
}

/** Findings about names that only other names repair. */
const publicNames: ReadonlySet<CsrLintCode> = new Set([
  'san_reserved',
  'san_single_label',
  'san_private_address',
  'san_underscore',
]);

function fixOf({ code, severity }: BareFinding, { lines, notes, isNewKey }: Repair): Fix | undefined {
  if (severity === 'info') return undefined;
  const { remedy, advice } = csrLintCodes[code];
  const isRepairable = remedy !== 'none' && (severity === 'error' || !publicNames.has(code));
  if (!isRepairable) return { text: advice };
  // one command repairs all findings, by the worst of them
  const shown = isNewKey && advice === again ? newKey : advice;
  return { ...lines, text: [shown, ...notes].join(' ') };
}

/** Repair of all findings of a CSR. */
interface Repair {
  readonly lines: Pick<Fix, 'openssl' | 'certreq'> | undefined;
  readonly notes: readonly string[];
  readonly isNewKey: boolean;
}

type Names = Pick<Replacement, 'dnsNames' | 'ipAddresses'>;

interface NamePlan {
  /** Undefined where no command can be given. */
  readonly names: Names | undefined;
  readonly notes: readonly string[];
}

/** Which names a new CSR has: those of the old one that the CA accepts, and the FQDN. */
function planNames(
  { commonNames, subjectAltNames: { dnsNames, ipAddresses } }: SalvagedNames,
  { profile, fqdn, maxNames }: CsrLintOptions & { readonly maxNames: number },
): NamePlan {
  const asked = dnsNames.length + ipAddresses.length > 0 ? dnsNames : commonNames;
  if (asked.length + ipAddresses.length > maxNames) return { names: undefined, notes: [] };
  if ([...asked, ...commonNames].some((name) => /['"\p{C}]/u.test(name))) {
    return { names: undefined, notes: ['A name has a character that no command line should carry.'] };
  }
  const hosts = new Set(asked.flatMap((name) => readHostname(name).hostname ?? []));
  const isCovered = [...hosts].some((name) => fqdn === undefined || coversHostname(name, fqdn));
  const wanted = isCovered || fqdn === undefined ? [...hosts] : [fqdn, ...hosts];
  const isAccepted = (code: NameCode | undefined) =>
    code === undefined || csrLintCodes[code].severities[profile] !== 'error';
  const names = {
    dnsNames: wanted.filter((name) => isAccepted(hostCode(name))),
    ipAddresses: [...new Set(ipAddresses)].filter((address) => isAccepted(addressCode(address))),
  };
  if (names.dnsNames.length + names.ipAddresses.length === 0) {
    const left = [...new Set([...wanted, ...ipAddresses])];
    return { names: undefined, notes: left.length === 0 ? [] : [noneFor(profile, left)] };
  }
  if (fqdn !== undefined && !names.dnsNames.some((name) => coversHostname(name, fqdn))) {
    return { names: undefined, notes: [notFor(profile)] };
  }
  return { names, notes: leftOut([...new Set([...asked, ...ipAddresses])], names) };
}

function leftOut(asked: readonly string[], { dnsNames, ipAddresses }: Names): string[] {
  const left = asked.filter(
    (name) => !ipAddresses.includes(name) && !dnsNames.includes(readHostname(name).hostname ?? ''),
  );
  return left.length === 0 ? [] : [`The command leaves out ${joinNames(left)}.`];
}

const noneFor = (profile: CsrProfile, names: readonly string[]): string =>
  `A ${profile === 'private' ? 'private' : 'public'} CA does not certify ${joinNames(names)}.`;

const notFor = (profile: CsrProfile): string =>
  `A ${profile === 'private' ? 'private' : 'public'} CA does not certify this FQDN.`;
