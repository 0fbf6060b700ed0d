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
import type { StatusDeps } from './status-deps.service.js';

/** Who answers for the certificates of an issuer. */
export type ResponderOf = (issuer: NamedIssuer) => Promise<OcspResponder>;

const validityMs = 30 * 86_400_000;
const backdatedMs = 60_000;

/**
 * One key that every issuer delegates its answers to (RFC 6960 §4.2.2.2), each by a certificate of its own, which is
 * made when it is first needed and again when it has ended. So no issuer needs a key usage for it.
 */
export function createResponders(deps: StatusDeps): ResponderOf {
  const made = new Map<NamedIssuer, Promise<OcspResponder>>();
  let pair: Promise<KeyPair> | undefined;
  return async (issuer) => {
    const last = await made.get(issuer);
    if (last !== undefined && isUsable(last, deps.clock.now())) return last;
    pair ??= generateKeyPair('P-256');
    const responder = makeResponder(deps, issuer, await pair);
    made.set(issuer, responder);
    return responder;
  };
}

const isUsable = ({ certificateDer }: OcspResponder, now: Date): boolean =>
  isWithinValidity(parseCertificate(certificateDer), now);

async function makeResponder(
  { serialNumbers, clock }: StatusDeps,
  { issuer, name }: NamedIssuer,
  { privateKey, publicKey }: KeyPair,
): Promise<OcspResponder> {
  const { certificate } = issuer;
  const now = Math.floor(clock.now().getTime() / 1000) * 1000;
  const spkiDer = exportSpki(publicKey);
  const der = await issueCertificate(issuer, {
    serialNumber: serialNumbers.next(),
    subjectDer: encodeName({ organization: 'CertLoop', commonName: `CertLoop Dummy CA OCSP ${name}` }),
    spkiDer,
    notBefore: new Date(Math.max(now - backdatedMs, certificate.notBefore.getTime())),
    notAfter: new Date(Math.min(now + validityMs, certificate.notAfter.getTime())),
    extendedKeyUsage: ['OCSPSigning'],
    extensions: [ocspNoCheck],
  });
  return createOcspResponder(createSigner(privateKey), der, spkiDer);
}
