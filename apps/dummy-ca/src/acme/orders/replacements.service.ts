import { AcmeProblem } from '@certloop/contracts';
import type { AcmeDeps } from '../acme-deps.service.js';
import { requireRenewalId } from '../certificates/renewal-window.js';
import type { Account } from '../records/account.js';
import type { AcmeCertificate } from '../records/acme-certificate.js';
import { type Identifier, identifierKey } from '../records/identifiers.js';
import { statusOf } from './current-status.service.js';

/**
 * The certificate that an order replaces; undefined when it replaces none. Throws `malformed` for an identifier that
 * names none (404 when merely unknown) or a certificate without
 * a common identifier, `unauthorized` for one of another account, and `alreadyReplaced` with status 409 when an
 * order that is not invalid replaces it already (RFC 9773 §5).
 */
export function requireReplaceable(
  deps: AcmeDeps,
  account: Account,
  replaces: string | undefined,
  identifiers: readonly Identifier[],
): AcmeCertificate | undefined {
  if (replaces === undefined) return undefined;
  const certificate = deps.store.findCertificateByRenewalId(requireRenewalId(replaces));
  if (certificate === undefined) {
    throw new AcmeProblem('malformed', 'the certificate to replace is not known', { kind: 'not_found' });
  }
  if (certificate.accountId !== account.id) {
    throw new AcmeProblem('unauthorized', 'the certificate to replace belongs to another account');
  }
  const old = new Set(certificate.identifiers.map(identifierKey));
  if (!identifiers.some((identifier) => old.has(identifierKey(identifier)))) {
    throw new AcmeProblem(
      'malformed',
      'the certificate to replace has no identifier in common with the order',
    );
  }
  const other = deps.store.findOrder(certificate.replacedBy ?? '');
  if (other !== undefined && statusOf(deps, other) !== 'invalid') {
    throw new AcmeProblem('alreadyReplaced', 'another order replaces the certificate already');
  }
  return certificate;
}
