import { AppError } from '@certloop/contracts';
import {
  createOcspResponse,
  encodeOcspFailure,
  type OcspCertId,
  type OcspRequest,
  type OcspSingleAnswer,
  type OcspStatus,
  ocspIssuerKeys,
  parseOcspRequest,
} from '@certloop/crypto';
import { createBoundedMap } from '../authority/bounded-map.js';
import type { NamedIssuer } from '../authority/named-issuer.js';
import { createResponders, type DatedResponder } from './ocsp-responders.service.js';
import { beginOf, findKnown, type StatusDeps } from './status-deps.service.js';

export interface OcspAnswer {
  readonly der: Buffer;
  /** For how long the answer may be cached; undefined for one that may not. */
  readonly validity: { readonly thisUpdate: Date; readonly nextUpdate: Date } | undefined;
}

/** Answer to the octets of a request, whatever they are. */
export type AnswerOcsp = (requestDer: Buffer) => Promise<OcspAnswer>;

// RFC 5019 §2.1.1 has one; more make an answer large at the cost of a small request.
const maxCertificates = 20;
const maxCachedAnswers = 1_000;

interface CachedAnswer extends OcspAnswer {
  readonly version: number;
  /** Milliseconds; the answer is given again between the two. */
  readonly madeAt: number;
  readonly goodUntil: number;
}

interface SingleAnswer extends OcspSingleAnswer {
  /** End of the certificate asked about, where it is known. */
  readonly notAfter: Date | undefined;
}

/** Responder of OCSP for every issuer of the authority (RFC 6960, RFC 5019, nonces by RFC 9654). */
export function createOcsp(deps: StatusDeps): AnswerOcsp {
  const issuers = issuersByKey(deps.issuers);
  const responderOf = createResponders(deps);
  const cache = createBoundedMap<CachedAnswer>({ limit: maxCachedAnswers });
  return async (requestDer) => {
    const request = parse(requestDer);
    if (request === undefined) return failure('malformedRequest');
    const issuer = request.certIds.map((certId) => issuers.get(keyOf(certId))).find((each) => each);
    // RFC 5019 §2.2.3: nothing can be said of the certificates of others.
    if (issuer === undefined) return failure('unauthorized');
    // One response has one signer: who asks about several issuers is answered in the name of the first.
    const answers = () => request.certIds.map((certId) => answerTo(deps, certId, issuers.get(keyOf(certId))));
    const answer = async () => signAnswers(deps, request, answers(), issuer, await responderOf(issuer));
    if (request.nonce !== undefined) return { der: (await answer()).der, validity: undefined };
    const key = requestDer.toString('base64');
    const last = cache.get(key);
    if (last !== undefined && isFresh(last, deps)) return last;
    const { version } = deps.revocations;
    const fresh = { version: version(), ...(await answer()) };
    cache.delete(key);
    cache.insert(key, fresh);
    return fresh;
  };
}

function isFresh({ version, madeAt, goodUntil }: CachedAnswer, { revocations, clock }: StatusDeps): boolean {
  const now = clock.now().getTime();
  return version === revocations.version() && now < goodUntil && now >= madeAt;
}

const failure = (reason: 'malformedRequest' | 'unauthorized'): OcspAnswer => ({
  der: encodeOcspFailure(reason),
  validity: undefined,
});

function parse(der: Buffer): OcspRequest | undefined {
  try {
    const request = parseOcspRequest(der);
    return request.certIds.length > maxCertificates ? undefined : request;
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

async function signAnswers(
  deps: StatusDeps,
  { nonce }: OcspRequest,
  answers: readonly SingleAnswer[],
  issuer: NamedIssuer,
  responder: DatedResponder,
): Promise<Omit<CachedAnswer, 'version'>> {
  const madeAt = Math.floor(deps.clock.now().getTime() / 1000) * 1000;
  const ends = [
    ...answers.map(({ notAfter }) => notAfter),
    responder.notAfter,
    issuer.issuer.certificate.notAfter,
  ];
  const end = nextUpdateOf(madeAt, deps.settings.ocspSeconds, ends);
  const validity = { thisUpdate: new Date(beginOf(deps, issuer, madeAt)), nextUpdate: new Date(end) };
  const der = await createOcspResponse(responder, {
    answers,
    producedAt: new Date(madeAt),
    ...validity,
    nonce,
  });
  return { der, validity, madeAt, goodUntil: madeAt + (end - madeAt) / 2 };
}

/**
 * No answer outlives what it is about or who signed it: clients such as certmagic refuse to staple one that does. An end
 * that has passed bounds nothing, as the status of an expired certificate may be asked, too.
 */
function nextUpdateOf(madeAt: number, ocspSeconds: number, ends: readonly (Date | undefined)[]): number {
  const bounds = ends.flatMap((each) => each?.getTime() ?? []).filter((each) => each > madeAt);
  return Math.min(madeAt + ocspSeconds * 1000, ...bounds);
}

function answerTo(deps: StatusDeps, certId: OcspCertId, issuer: NamedIssuer | undefined): SingleAnswer {
  const known = findKnown(deps, certId.serialNumber);
  const isIssuers = issuer !== undefined && known?.issuer === issuer.name;
  const answer: OcspStatus = isIssuers ? statusOf(deps, certId) : { status: 'unknown' };
  return { certIdDer: certId.der, answer, notAfter: isIssuers ? known?.notAfter : undefined };
}

function statusOf({ revocations }: StatusDeps, { serialNumber }: OcspCertId): OcspStatus {
  const revocation = revocations.find(serialNumber);
  if (revocation === undefined) return { status: 'good' };
  return { status: 'revoked', revokedAt: revocation.revokedAt, reason: revocation.reason };
}
