import type { AllowedNames, ClientNames, FieldFault } from '@certloop/contracts';
import { InvalidInput } from '@certloop/contracts';
import { type AddressRange, isWithin, parseRange } from '../fqdns/policy/address-range.js';
import { type AskedNames, type PolicyRules, rulesOf } from '../fqdns/policy/issuance-policy.js';
import { readHostname } from '../judging/hostname.js';
import { readableText } from '../providers/provider.js';

/** An identifier of an order (RFC 8555 §9.7.7, RFC 8738). */
export interface OrderedName {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

/** A name that a client may not have; the sentence is the same whatever the reason. */
export interface RefusedName {
  readonly name: OrderedName;
  readonly message: string;
}

/**
 * The names that the client may not have: those that its own lists, the policy of the space or the rules for host names
 * refuse. Null as its lists allows nothing if the policy does not limit names. All names are judged by all rules, so that
 * the time shows no reason.
 */
export function permitNames(
  { names: own }: { readonly names: ClientNames | null },
  policy: PolicyRules,
  names: readonly OrderedName[],
): RefusedName[] {
  const ownRules = own === null ? undefined : rulesOf({ allowedNames: policyOf(own), providerIds: null });
  const fqdn = fqdnOf(names);
  return names
    .filter((name) => {
      const asked = askedOf(name);
      const isOwn = ownRules === undefined ? policy.limitsNames : isAllowed(ownRules, asked, fqdn);
      const isOfSpace = isAllowed(policy, asked, fqdn);
      const isHostname = name.type === 'ip' || readHostname(name.value).hostname !== undefined;
      return [isOwn, isOfSpace, isHostname].includes(false);
    })
    .map(refusedName);
}

/** The refusal of a name, with one sentence for every reason. */
export function refusedName(name: OrderedName): RefusedName {
  // one line, as long as a host name can be
  const shown = readableText(name.value, 253);
  const message = `this client may not have ${shown}; administrators of its space can change that`;
  return { name, message };
}

/** The first host name, which is the FQDN where the policy allows no other name. */
function fqdnOf(names: readonly OrderedName[]): string {
  const first = names.find(({ type }) => type === 'dns');
  return (first && readHostname(first.value).hostname) ?? '';
}

function askedOf({ type, value }: OrderedName): AskedNames {
  const none = { commonNames: [], emailAddresses: [], uris: [], otherNames: [] };
  return type === 'dns'
    ? { ...none, dnsNames: [value], ipAddresses: [] }
    : { ...none, dnsNames: [], ipAddresses: [value] };
}

function isAllowed(rules: PolicyRules, asked: AskedNames, fqdn: string): boolean {
  return rules.refusalsOfCsr(asked, fqdn).length === 0;
}

/** Whether further names are allowed is for the policy of the space alone. */
function policyOf(names: ClientNames): AllowedNames {
  return { ...names, beyondFqdn: true };
}

/**
 * Throws InvalidInput that names each entry, and the flag for wildcards, that allows more than the policy of the space.
 * What the client has already may stay: it is judged by the policy of that moment anyway.
 */
export function requireNarrower(
  names: ClientNames,
  policy: AllowedNames | null,
  before: ClientNames | null,
): void {
  if (policy === null) return;
  const rules = rulesOf({ allowedNames: policy, providerIds: null });
  const ranges = policy.cidrs.flatMap((text) => parseRange(text).range ?? []);
  const isNameAllowed = (name: string) => rules.refusalOfFqdn(name) === undefined;
  const faults = [
    ...widerEntries('names', names.names, before?.names, isNameAllowed),
    ...widerEntries('suffixes', names.suffixes, before?.suffixes, (domain) =>
      isCovered(domain, policy.suffixes),
    ),
    ...widerEntries('cidrs', names.cidrs, before?.cidrs, (text) => isInRange(text, ranges)),
    ...(names.wildcards && !policy.wildcards && before?.wildcards !== true
      ? [{ path: 'names.wildcards', code: wider, message: 'must be false, as in the policy' }]
      : []),
  ];
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  throw new InvalidInput(
    `${first.path}: ${first.message}${more}. Leave it out, or ask an administrator to change the policy of the space`,
    { code: wider, title: 'Wider than the policy of the space', fields: faults.slice(0, 100) },
  );
}

const wider = 'wider_than_policy';

function widerEntries(
  list: 'names' | 'suffixes' | 'cidrs',
  entries: readonly string[],
  before: readonly string[] = [],
  isAsNarrow: (entry: string) => boolean,
): FieldFault[] {
  const known = new Set(before);
  return entries.flatMap((entry, index) => {
    if (known.has(entry) || isAsNarrow(entry)) return [];
    const message = `${entry} allows more than the issuance policy of the space`;
    return [{ path: `names.${list}[${index}]`, code: wider, message }];
  });
}

/** Whether one of the suffixes stands for the domain and all names below it. */
function isCovered(domain: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => domain === suffix || domain.endsWith(`.${suffix}`));
}

/** Whether one of the ranges has all addresses of the range. */
function isInRange(text: string, ranges: readonly AddressRange[]): boolean {
  const { range } = parseRange(text);
  return (
    range !== undefined && ranges.some((outer) => outer.bits <= range.bits && isWithin(range.octets, outer))
  );
}
