import type { Identifier } from '@certloop/acme-server/rules';
import { AcmeProblem, type acmeRequests } from '@certloop/contracts';
import { constraintFault, noGeneralNames } from '@certloop/crypto';
import type { CertificateProfile } from '../../authority/certificate-profile.js';
import type { AcmeDeps } from '../acme-deps.service.js';
import {
  type AskedValidity,
  acmeValidity,
  chooseProfile,
  type OrderTerms,
  parseAskedValidity,
} from '../issuance/acme-profile.js';

/** Throws `invalidProfile` for a profile that there is not, and `malformed` for a validity that cannot be issued. */
export function readOrderTerms(deps: AcmeDeps, asked: acmeRequests.NewOrder): OrderTerms {
  const profile = chooseProfile(deps.settings.profiles, asked.profile);
  const validity = parseAskedValidity(asked, deps.issuer.certificate);
  requirePossible(deps, profile, validity);
  return { ...validity, profile: profile.name };
}

/** Throws `malformed` when the certificate would be valid only when its issuer is not. */
function requirePossible(
  { settings, clock, issuer }: AcmeDeps,
  profile: CertificateProfile,
  asked: AskedValidity,
): void {
  const { certificate } = issuer;
  const validity = acmeValidity(profile, asked, clock.now(), certificate, settings.backdateSeconds);
  if (validity.notAfter > validity.notBefore) return;
  throw new AcmeProblem('malformed', 'the certificate would not fit into the validity of the issuer');
}

/** Throws `rejectedIdentifier` for names that the constraints of an authority above refuse. */
export function requirePermitted({ issuer }: AcmeDeps, identifiers: readonly Identifier[]): void {
  const valuesOf = (type: Identifier['type']) =>
    identifiers.filter((each) => each.type === type).map(({ value }) => value);
  const subjectAltNames = { ...noGeneralNames, dnsNames: valuesOf('dns'), ipAddresses: valuesOf('ip') };
  for (const constraints of issuer.nameConstraints) {
    const fault = constraintFault(constraints, { subject: [], subjectAltNames });
    if (fault !== undefined) throw new AcmeProblem('rejectedIdentifier', fault);
  }
}
