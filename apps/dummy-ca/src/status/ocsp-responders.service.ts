import {
  createOcspResponder,
  createSigner,
  encodeName,
  exportSpki,
  generateKeyPair,
  issueCertificate,
  isWithinValidity,
  type KeyPair,
  type OcspResponder,
  ocspNoCheck,
  parseCertificate,
} from '@certloop/crypto';
import type { NamedIssuer } from '../authority/named-issuer.js';
import { beginOf, type StatusDeps } from './status-deps.service.js';

/** The responder, and when its certificate ends. */
export interface DatedResponder extends OcspResponder {
  readonly notAfter: Date;
}

/** Who answers for the certificates of an issuer. */
export type ResponderOf = (issuer: NamedIssuer) => Promise<DatedResponder>;

const minValidityMs = 30 * 86_400_000;

/**
 * One key that every issuer delegates its answers to (RFC 6960 §4.2.2.2), each by a certificate of its own, which is
 * made when it is first needed, and again when less is left of it than an answer lasts. So no issuer needs a key usage
 * for it.
 */
export function createResponders(deps: StatusDeps): ResponderOf {
  const made = new Map<NamedIssuer, Promise<DatedResponder>>();
  let pair: Promise<KeyPair> | undefined;
  return async (issuer) => {
    const last = await made.get(issuer);
    if (last !== undefined && isUsable(deps, last, issuer)) return last;
    pair ??= generateKeyPair('P-256');
    const responder = makeResponder(deps, issuer, await pair);
    made.set(issuer, responder);
    return responder;
  };
}

function isUsable(
  { clock, settings }: StatusDeps,
  { certificateDer, notAfter }: DatedResponder,
  { issuer }: NamedIssuer,
): boolean {
  const now = clock.now();
  if (!isWithinValidity(parseCertificate(certificateDer), now)) return false;
  const lasts = notAfter.getTime() - now.getTime() >= settings.ocspSeconds * 1000;
  // A responder that ends with its issuer cannot be followed by a longer one.
  return lasts || notAfter >= issuer.certificate.notAfter;
}

async function makeResponder(
  deps: StatusDeps,
  named: NamedIssuer,
  { privateKey, publicKey }: KeyPair,
): Promise<DatedResponder> {
  const { serialNumbers, clock, settings } = deps;
  const { issuer, name } = named;
  const now = Math.floor(clock.now().getTime() / 1000) * 1000;
  const spkiDer = exportSpki(publicKey);
  const validityMs = Math.max(minValidityMs, 2 * settings.ocspSeconds * 1000);
  const notAfter = new Date(Math.min(now + validityMs, issuer.certificate.notAfter.getTime()));
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: `CertLoop Dummy CA OCSP ${name}` }),
    spkiDer,
    notBefore: new Date(beginOf(deps, named, now)),
    notAfter,
    extendedKeyUsage: ['OCSPSigning'],
    extensions: [ocspNoCheck],
  });
  return { ...createOcspResponder(createSigner(privateKey), der, spkiDer), notAfter };
}
