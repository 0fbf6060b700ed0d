import { calendar } from '../calendar.js';
import type { RuleSubject } from '../calendar-rules.js';
import { keyPurposes, oid } from '../der/oids.js';
import { joinNames } from './join-names.js';
import type { LintFacts } from './lint-facts.js';
import type { LintRule } from './lint-rule.js';

/** Rules about what a CSR asks for besides its names. */
export const requestRules: readonly LintRule[] = [
  [
    'unusual_extensions',
    ({ description: { extensions } }) => {
      const unusual = extensions.map(({ oid: type }) => type).filter((type) => !usualExtensions.has(type));
      return unusual.length === 0 ? undefined : `it asks for unusual extensions: ${joinNames(unusual)}`;
    },
  ],
  [
    'ca_requested',
    ({ description: { extensions } }) =>
      extensions.some(({ purposes }) => purposes.includes('Certificate Authority'))
        ? 'it asks to become a certificate authority, which is not granted'
        : undefined,
  ],
  [
    'client_auth_requested',
    ({ description: { extensions } }) =>
      extensions.some(
        ({ oid: type, purposes }) => type === oid.extendedKeyUsage && purposes.includes(clientAuth),
      )
        ? `it asks for client authentication; Google's CA refuses that since ${clientAuthEnd('google')}, and no public CA grants it from ${clientAuthEnd('chrome')} on`
        : undefined,
  ],
  [
    'must_staple',
    ({ description: { extensions } }) =>
      extensions.some(({ oid: type }) => type === oid.tlsFeature)
        ? "it asks for OCSP Must-Staple, which Let's Encrypt refuses"
        : undefined,
  ],
  [
    'challenge_password',
    ({ csr: { attributes } }) =>
      attributes.some(({ type }) => type === challengePassword)
        ? 'it has a challenge password, which everyone who gets the CSR can read'
        : undefined,
  ],
  ['subject_dropped', droppedSubject],
];

// RFC 5280 §4.2.1: subject key identifier, key usage, alternative name, basic constraints, extended key
// usage; RFC 7633: TLS feature ("must staple").
const usualExtensions: ReadonlySet<string> = new Set([
  oid.subjectKeyIdentifier,
  oid.keyUsage,
  oid.subjectAltName,
  oid.basicConstraints,
  oid.extendedKeyUsage,
  oid.tlsFeature,
]);

/** The first day on which those no longer certify or trust client authentication. */
function clientAuthEnd(of: RuleSubject): string | undefined {
  return calendar.find(({ subject, effect }) => subject === of && effect.kind === 'no_client_auth')?.from;
}

const clientAuth = keyPurposes.get('1.3.6.1.5.5.7.3.2')?.purpose ?? '';
// RFC 2985 §5.4.1
const challengePassword = '1.2.840.113549.1.9.7';

function droppedSubject({ csr: { subject } }: LintFacts): string | undefined {
  return subject.flat().some(({ type }) => type !== oid.commonName)
    ? 'it has more in its subject than a common name; certificates by domain validation leave that out'
    : undefined;
}
