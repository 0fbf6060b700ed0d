import type { AllowedNames, IssuancePolicy } from '@certloop/contracts';
import { parseIpAddress } from '@certloop/crypto';
import { readHostname } from '../../judging/hostname.js';
import { readableText } from '../../providers/provider.js';
import { createRangeLookup, parseRange, plainOctets } from './address-range.js';

/** A name or provider that the policy of a space refuses, and the rule that refuses it. */
export interface PolicyRefusal {
  readonly code: 'name_not_allowed' | 'provider_not_allowed';
  /** Field of the request that names it, such as `csr.dnsNames[1]`. */
  readonly path: string;
  /** The refused name, or the name of the provider. */
  readonly name: string;
  /** Name and rule in one clause. */
  readonly message: string;
}

/** Every name that a CSR asks for. */
export interface AskedNames {
  readonly commonNames: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** Names of all other kinds, each with its kind. */
  readonly otherNames: readonly string[];
}

/** A policy that is prepared for judging many names. */
export interface PolicyRules {
  /** Whether it refuses nothing. */
  readonly isOpen: boolean;
  /** Whether it limits names. */
  readonly limitsNames: boolean;
  /** Why an FQDN, in its normal form, may not be in the space. */
  refusalOfFqdn(hostname: string): PolicyRefusal | undefined;
  /** Why a CSR may not be used for the FQDN, one refusal for each name that is not allowed, at most 100. */
  refusalsOfCsr(names: AskedNames, hostname: string): PolicyRefusal[];
  /** Why a provider may not issue in the space. */
  refusalOfProvider(provider: { readonly id: string; readonly name: string }): PolicyRefusal | undefined;
  /** Whether the policy limits names and allows this one, so that the space may have it although another one holds it. */
  grants(name: string): boolean;
}

/** The rules of a policy that is in its normal form. */
export function rulesOf({ allowedNames, providerIds }: IssuancePolicy): PolicyRules {
  const names = allowedNames === null ? undefined : compileNames(allowedNames);
  const providers = providerIds === null ? undefined : new Set(providerIds);
  return {
    isOpen: names === undefined && providers === undefined,
    limitsNames: names !== undefined,
    refusalOfFqdn: (hostname) => {
      const fault = names && faultOfHostname(names, hostname);
      return fault === undefined ? undefined : nameRefusal('fqdn', hostname, fault);
    },
    refusalsOfCsr: (asked, hostname) => (names === undefined ? [] : findCsrRefusals(names, asked, hostname)),
    refusalOfProvider: ({ id, name }) => {
      if (providers === undefined || providers.has(id)) return undefined;
      const message = `the provider ${name} is not among providerIds`;
      return { code: 'provider_not_allowed', path: 'providerId', name, message };
    },
    grants: (name) => {
      const hostname = readHostname(name).hostname;
      return names !== undefined && hostname !== undefined && faultOfHostname(names, hostname) === undefined;
    },
  };
}

interface NameRules {
  readonly exact: ReadonlySet<string>;
  readonly suffixes: ReadonlySet<string>;
  readonly wildcards: boolean;
  readonly hasAddress: (octets: Uint8Array) => boolean;
  readonly beyondFqdn: boolean;
  /** The suffixes and the ranges as messages show them. */
  readonly shown: { readonly suffixes: string; readonly ranges: string };
}

function compileNames({ names, suffixes, wildcards, cidrs, beyondFqdn }: AllowedNames): NameRules {
  return {
    exact: new Set(names),
    suffixes: new Set(suffixes),
    wildcards,
    hasAddress: createRangeLookup(cidrs.flatMap((text) => parseRange(text).range ?? [])),
    beyondFqdn,
    shown: { suffixes: listed(suffixes), ranges: listed(cidrs) },
  };
}

const maxRefusals = 100;

function findCsrRefusals(rules: NameRules, asked: AskedNames, hostname: string): PolicyRefusal[] {
  const judge = (place: string, names: readonly string[], faultOf: (name: string) => string | undefined) =>
    names.flatMap((name, index): PolicyRefusal[] => {
      const fault = faultOf(name);
      const path = place === 'subject' ? 'csr.subject' : `csr.${place}[${index}]`;
      return fault === undefined ? [] : [nameRefusal(path, name, fault)];
    });
  const faultOfName = (name: string) => faultOfDnsName(rules, name, hostname);
  return [
    ...judge('subject', asked.commonNames, (name) =>
      parseIpAddress(name) === undefined ? faultOfName(name) : faultOfAddress(rules, name, hostname),
    ),
    ...judge('dnsNames', asked.dnsNames, faultOfName),
    ...judge('ipAddresses', asked.ipAddresses, (name) => faultOfAddress(rules, name, hostname)),
    ...judge('emailAddresses', asked.emailAddresses, () => noRuleFor('e-mail addresses')),
    ...judge('uris', asked.uris, () => noRuleFor('URIs')),
    ...judge('otherNames', asked.otherNames, () => noRuleFor('names of this kind')),
  ].slice(0, maxRefusals);
}

/** Why a DNS name or common name is refused in a CSR for the FQDN. */
function faultOfDnsName(rules: NameRules, name: string, fqdn: string): string | undefined {
  const { hostname, fault } = readHostname(name);
  if (hostname === undefined) return `it is not a host name: it ${fault}`;
  if (hostname !== fqdn && !rules.beyondFqdn) return beyond(fqdn);
  return faultOfHostname(rules, hostname);
}

function faultOfAddress({ hasAddress, shown, beyondFqdn }: NameRules, address: string, fqdn: string) {
  const octets = plainOctets(address);
  if (octets === undefined) return 'it is not an IP address';
  if (!beyondFqdn) return beyond(fqdn);
  if (hasAddress(octets)) return undefined;
  return `it lies in no range of allowedNames.cidrs (${shown.ranges})`;
}

/** Why a host name in its normal form is refused, whatever FQDN it is for. */
function faultOfHostname({ exact, suffixes, wildcards, shown }: NameRules, name: string): string | undefined {
  const isWildcard = name.startsWith('*.');
  if (isWildcard && !wildcards) return 'it is a wildcard, and allowedNames.wildcards is false';
  if (exact.has(name) || isBelow(isWildcard ? name.slice(2) : name, suffixes)) return undefined;
  return `it is not among allowedNames.names and not at or below a suffix of allowedNames.suffixes (${shown.suffixes})`;
}

/** Whether the name is one of the suffixes, or below one, label by label. */
function isBelow(name: string, suffixes: ReadonlySet<string>): boolean {
  for (let rest = name; ; ) {
    if (suffixes.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot < 0) return false;
    rest = rest.slice(dot + 1);
  }
}

function beyond(fqdn: string): string {
  return `allowedNames.beyondFqdn is false, so a CSR may have no other name than ${fqdn}`;
}

function noRuleFor(kind: string): string {
  return `allowedNames has no rule that allows ${kind}`;
}

/** The refusal of a name of a request, for a reason that completes "it is not allowed: …". */
export function nameRefusal(path: string, name: string, fault: string): PolicyRefusal {
  // one line, as long as a host name can be
  const shown = readableText(name, 253);
  return { code: 'name_not_allowed', path, name: shown, message: `${shown} is not allowed: ${fault}` };
}

const maxShown = 5;

function listed(texts: readonly string[]): string {
  if (texts.length === 0) return 'none';
  const more = texts.length > maxShown ? ` and ${texts.length - maxShown} more` : '';
  return `${texts.slice(0, maxShown).join(', ')}${more}`;
}
