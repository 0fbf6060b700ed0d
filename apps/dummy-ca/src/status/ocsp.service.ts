import { AppError } from '@certloop/contracts';
import {
  createOcspResponse,
  encodeOcspFailure,
  type OcspCertId,
  type OcspRequest,
  type OcspStatus,
  ocspIssuerKeys,
  parseOcspRequest,
} from '@certloop/crypto';
import { createBoundedMap } from '../authority/bounded-map.js';
import type { NamedIssuer } from '../authority/named-issuer.js';
import { createResponders, type ResponderOf } from './ocsp-responders.service.js';
import { findKnown, type StatusDeps } from './status-deps.service.js';

export interface OcspAnswer {
  readonly der: Buffer;
  /** For how long the answer may be kept and given to others; undefined for none. */
  readonly validity: { readonly thisUpdate: Date; readonly nextUpdate: Date } | undefined;
}

/** Answer to the octets of a request, whatever they are. */
export type AnswerOcsp = (requestDer: Buffer) => Promise<OcspAnswer>;

// RFC 5019 §2.1.1 has one; more make an answer large at the cost of a small request.
const mostCertificates = 20;
const keptAnswers = 1_000;

interface Kept extends OcspAnswer {
  readonly version: number;
  readonly goodUntil: number;
}

/** Responder of OCSP for every issuer of the authority (RFC 6960, RFC 5019, nonces by RFC 9654). */
export function createOcsp(deps: StatusDeps): AnswerOcsp {
  const issuers = issuersByKey(deps.issuers);
  const responderOf = createResponders(deps);
  const kept = createBoundedMap<Kept>({ limit: keptAnswers });
  return async (requestDer) => {
    const request = parse(requestDer);
    if (request === undefined) return failure('malformedRequest');
    const issuer = request.certIds.map((certId) => issuers.get(keyOf(certId))).find((each) => each);
    // RFC 5019 §2.2.3: nothing can be said of the certificates of others.
    if (issuer === undefined) return failure('unauthorized');
    const answer = () => answerFor(deps, request, issuer, responderOf);
    if (request.nonce !== undefined) return { der: (await answer()).der, validity: undefined };
    const key = requestDer.toString('base64');
    const last = kept.get(key);
    if (last !== undefined && isFresh(last, deps)) return last;
    const { version } = deps.revocations;
    const fresh = { version: version(), ...(await answer()) };
    kept.delete(key);
    kept.insert(key, fresh);
    return fresh;
  };
}

function isFresh({ version, validity, goodUntil }: Kept, { revocations, clock }: StatusDeps): boolean {
  const now = clock.now().getTime();
  return version === revocations.version() && now < goodUntil && now >= Number(validity?.thisUpdate);
}

const failure = (reason: 'malformedRequest' | 'unauthorized'): OcspAnswer => ({
  der: encodeOcspFailure(reason),
  validity: undefined,
});

function parse(der: Buffer): OcspRequest | undefined {
  try {
    const request = parseOcspRequest(der);
    return request.certIds.length > mostCertificates ? undefined : request;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const keyOf = ({ hash, issuerNameHash, issuerKeyHash }: OcspCertId): string =>
  `${hash}:${issuerNameHash}:${issuerKeyHash}`;

function issuersByKey(issuers: readonly NamedIssuer[]): ReadonlyMap<string, NamedIssuer> {
  const entries = issuers.flatMap((named) => {
    const { nameDer, certificate } = named.issuer;
    return ocspIssuerKeys(nameDer, certificate.publicKey.keyOctets).map((key) => [key, named] as const);
  });
  return new Map(entries);
}

async function answerFor(
  deps: StatusDeps,
  { certIds, nonce }: OcspRequest,
  issuer: NamedIssuer,
  responderOf: ResponderOf,
): Promise<{ der: Buffer; validity: { thisUpdate: Date; nextUpdate: Date }; goodUntil: number }> {
  const own = new Set(ocspIssuerKeys(issuer.issuer.nameDer, issuer.issuer.certificate.publicKey.keyOctets));
  const now = Math.floor(deps.clock.now().getTime() / 1000) * 1000;
  const lengthMs = deps.settings.ocspSeconds * 1000;
  const validity = { thisUpdate: new Date(now), nextUpdate: new Date(now + lengthMs) };
  const answers = certIds.map((certId) => ({
    certIdDer: certId.der,
    // One response has one signer, who speaks for his own issuer alone.
    answer: own.has(keyOf(certId)) ? statusOf(deps, issuer, certId) : ({ status: 'unknown' } as const),
  }));
  const responder = await responderOf(issuer);
  const der = await createOcspResponse(responder, { answers, producedAt: new Date(now), ...validity, nonce });
  return { der, validity, goodUntil: now + lengthMs / 2 };
}

function statusOf(deps: StatusDeps, { name }: NamedIssuer, { serialNumber }: OcspCertId): OcspStatus {
  const known = findKnown(deps, serialNumber);
  if (known?.issuer !== name) return { status: 'unknown' };
  const revocation = deps.revocations.find(serialNumber);
  if (revocation === undefined) return { status: 'good' };
  return { status: 'revoked', revokedAt: revocation.revokedAt, reason: revocation.reason };
}
