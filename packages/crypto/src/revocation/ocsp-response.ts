import { createHash } from 'node:crypto';
import { encodeExtension } from '../certificates/extensions.js';
import { contextConstructed, contextPrimitive } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeEnumerated,
  encodeOctetString,
  encodeOid,
  encodeSequence,
} from '../der/der-writer.js';
import { oid, revocationReasons } from '../der/oids.js';
import { encodeGeneralizedTime } from '../der/times.js';
import { keyIdentifier } from '../keys/keys.js';
import type { Signer } from '../keys/sign.js';
import { ocspHashes } from './ocsp-request.js';
import type { RevocationReason } from './revocation-list.js';

/** Status of a certificate. */
export type OcspStatus =
  | { readonly status: 'good' | 'unknown' }
  | { readonly status: 'revoked'; readonly revokedAt: Date; readonly reason: RevocationReason };

export interface OcspSingleAnswer {
  /** DER of the requested CertID. */
  readonly certIdDer: Buffer;
  readonly answer: OcspStatus;
}

export interface OcspAnswers {
  readonly answers: readonly OcspSingleAnswer[];
  readonly producedAt: Date;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly nonce: Buffer | undefined;
}

/** Signer of responses: a key and its certificate from the issuer. */
export interface OcspResponder extends Signer {
  readonly certificateDer: Buffer;
  /** SHA-1 over the responder's public key. */
  readonly keyHash: Buffer;
}

/** Error statuses of a response (RFC 6960 §4.2.1). */
const failures = { malformedRequest: 1, internalError: 2, tryLater: 3, unauthorized: 6 } as const;
export type OcspFailure = keyof typeof failures;

/** DER of an error response. */
export function encodeOcspFailure(failure: OcspFailure): Buffer {
  return encodeSequence(encodeEnumerated(failures[failure]));
}

export function createOcspResponder(signer: Signer, certificateDer: Buffer, spkiDer: Buffer): OcspResponder {
  return { ...signer, certificateDer, keyHash: keyIdentifier(spkiDer) };
}

/** DER of a successful response with a basic one inside (RFC 6960 §4.2.1), its responder named by key. */
export async function createOcspResponse(responder: OcspResponder, answers: OcspAnswers): Promise<Buffer> {
  const { nonce, thisUpdate, nextUpdate } = answers;
  const signed = encodeSequence(
    encode(contextConstructed(2), encodeOctetString(responder.keyHash)),
    encodeGeneralizedTime(answers.producedAt),
    encodeSequence(...answers.answers.map((each) => encodeSingle(each, thisUpdate, nextUpdate))),
    ...(nonce === undefined ? [] : [encode(contextConstructed(1), encodeSequence(encodeNonce(nonce)))]),
  );
  const basic = encodeSequence(
    signed,
    responder.algorithmDer,
    encodeBitOctets(await responder.sign(signed)),
    encode(contextConstructed(0), encodeSequence(responder.certificateDer)),
  );
  const bytes = encodeSequence(encodeOid(oid.ocspBasic), encodeOctetString(basic));
  return encodeSequence(encodeEnumerated(0), encode(contextConstructed(0), bytes));
}

/** Keys by which requests identify an issuer, for every hash: `hash:name:key`, the hashes of both in lower-case hex. */
export function ocspIssuerKeys(nameDer: Buffer, publicKeyOctets: Buffer): string[] {
  return [...ocspHashes.values()].map((hash) => {
    const digest = (octets: Buffer) => createHash(hash).update(octets).digest('hex');
    return `${hash}:${digest(nameDer)}:${digest(publicKeyOctets)}`;
  });
}

function encodeSingle({ certIdDer, answer }: OcspSingleAnswer, thisUpdate: Date, nextUpdate: Date): Buffer {
  return encodeSequence(
    certIdDer,
    encodeStatus(answer),
    encodeGeneralizedTime(thisUpdate),
    encode(contextConstructed(0), encodeGeneralizedTime(nextUpdate)),
  );
}

function encodeStatus(answer: OcspStatus): Buffer {
  if (answer.status !== 'revoked') return encode(contextPrimitive(answer.status === 'good' ? 0 : 2));
  const { revokedAt, reason } = answer;
  const code = revocationReasons[reason];
  // as in revocation lists, the reason unspecified is omitted (RFC 5280 §5.3.1)
  const reasons = code === 0 ? [] : [encode(contextConstructed(0), encodeEnumerated(code))];
  return encode(contextConstructed(1), encodeGeneralizedTime(revokedAt), ...reasons);
}

const encodeNonce = (nonce: Buffer): Buffer =>
  encodeExtension({ oid: oid.ocspNonce, critical: false, value: encodeOctetString(nonce) });
