import { coversHostname } from '../names/hostnames.js';
import { parseIpAddress } from '../names/ip-addresses.js';
import { joinNames } from './join-names.js';
import type { NameCode } from './judged-names.js';
import type { LintFacts } from './lint-facts.js';
import type { LintRule, RuleResult } from './lint-rule.js';

/** Rules about the names of a CSR. */
export const nameRules: readonly LintRule[] = [
  [
    'no_subject_alt_name',
    ({ csr: { subjectAltNameDer } }) =>
      subjectAltNameDer === undefined
        ? 'it names the host only as common name, which browsers ignore'
        : undefined,
  ],
  ['fqdn_not_covered', missingFqdn],
  ['more_names', furtherNames],
  named('invalid_names', (names) => `its DNS names have faults: ${names}`),
  named('wildcard_misplaced', (names) => `it has a * that is not a whole leftmost label: ${names}`),
  named('not_an_a_label', (names) => `it has names whose label xn-- is not an international one: ${names}`),
  named(
    'san_underscore',
    (names) => `it has names with an underscore, which public authorities refuse: ${names}`,
  ),
  named('san_reserved', (names) => `it has names that are not in the public DNS: ${names}`),
  named(
    'san_single_label',
    (names) => `it has names of one label, which public authorities refuse: ${names}`,
  ),
  named('san_private_address', (names) => `it has addresses that are not of the public Internet: ${names}`),
  [
    'san_repeated',
    ({ names: { repeated } }) =>
      repeated.length === 0 ? undefined : `it has names more than once: ${joinNames(repeated)}`,
  ],
  [
    'san_upper_case',
    ({ description: { dnsNames } }) => {
      const found = dnsNames.filter((name) => /[A-Z]/.test(name));
      return found.length === 0 ? undefined : `it has names with capitals: ${joinNames(found)}`;
    },
  ],
  [
    'san_other_kind',
    ({ csr: { subjectAltNames: names } }) => {
      const others = [...names.emailAddresses, ...names.uris, ...names.directoryNames, ...names.otherNames];
      return others.length === 0
        ? undefined
        : `it has names that are neither DNS names nor addresses: ${joinNames(others)}`;
    },
  ],
  [
    'too_many_names',
    (facts) => {
      const { length } = alternativeNames(facts);
      return length > facts.maxNames
        ? `it asks for ${length} names; authorities allow at most ${facts.maxNames}`
        : undefined;
    },
  ],
  ['common_name_not_in_sans', strayCommonName],
  [
    'common_name_too_long',
    ({ description: { commonNames } }) => {
      const length = Math.max(0, ...commonNames.slice(0, 100).map((name) => [...name].length));
      return length > maxCommonName
        ? `its common name has ${length} characters, more than ${maxCommonName}`
        : undefined;
    },
  ],
  [
    'common_name_is_address',
    ({ description: { commonNames } }) => {
      const found = commonNames.filter((name) => parseIpAddress(name) !== undefined);
      return found.length === 0 ? undefined : `its common name is an address: ${joinNames(found)}`;
    },
  ],
];

const maxCommonName = 64;

function named(code: NameCode, sentence: (names: string) => string): LintRule {
  return [
    code,
    ({ names }) => {
      const found = names.faults.get(code);
      return found === undefined ? undefined : sentence(joinNames(found));
    },
  ];
}

/** DNS names, addresses, and the names of mail and URIs. */
function alternativeNames({ description }: LintFacts): string[] {
  const { dnsNames, ipAddresses, emailAddresses, uris } = description;
  return [...dnsNames, ...ipAddresses, ...emailAddresses, ...uris];
}

function missingFqdn({ fqdn, csr, description }: LintFacts): RuleResult {
  if (fqdn === undefined) return undefined;
  const names = csr.subjectAltNameDer === undefined ? description.commonNames : description.dnsNames;
  if (names.some((name) => coversHostname(name.toLowerCase(), fqdn))) return undefined;
  return csr.subjectAltNameDer === undefined
    ? `its common name is ${joinNames(names)}; the FQDN is ${fqdn}`
    : `its DNS names are ${joinNames(names)}; the FQDN is ${fqdn}`;
}

function furtherNames(facts: LintFacts): RuleResult {
  const { fqdn } = facts;
  if (fqdn === undefined || missingFqdn(facts) !== undefined) return undefined;
  const more = alternativeNames(facts).filter((name) => !coversHostname(name.toLowerCase(), fqdn));
  return more.length === 0 ? undefined : `it also asks for ${joinNames(more)}`;
}

function strayCommonName({ csr, description }: LintFacts): RuleResult {
  if (csr.subjectAltNameDer === undefined) return undefined;
  const { dnsNames, ipAddresses, commonNames } = description;
  const names = new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()));
  const stray = commonNames.filter((name) => !names.has(name.toLowerCase()));
  return stray.length === 0 ? undefined : `its common name ${joinNames(stray)} is not among its DNS names`;
}
