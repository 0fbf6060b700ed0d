import { encodeExtension } from '../certificates/extensions.js';
import type { Issuer } from '../certificates/issuer.js';
import { contextConstructed } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeEnumerated,
  encodeInteger,
  encodeSequence,
} from '../der/der-writer.js';
import { oid, revocationReasons } from '../der/oids.js';
import { encodeTime } from '../der/times.js';

/** Why a certificate is revoked, in the words of RFC 5280 §5.3.1. */
export type RevocationReason = keyof typeof revocationReasons;

export interface RevokedCertificate {
  /** Hex. */
  readonly serialNumber: string;
  readonly revokedAt: Date;
  readonly reason: RevocationReason;
}

export interface RevocationListRequest {
  /** Larger than that of every earlier list of the issuer (RFC 5280 §5.2.3). */
  readonly number: bigint;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** Entries as `encodeRevocation` makes them: once for each, since lists grow long and are made often. */
  readonly entries: readonly Buffer[];
}

/** DER of a complete revocation list of version 2 (RFC 5280 §5) with key identifier, number, and reasons. */
export async function createRevocationList(issuer: Issuer, request: RevocationListRequest): Promise<Buffer> {
  const { entries } = request;
  const signed = encodeSequence(
    versionTwo,
    issuer.algorithmDer,
    issuer.nameDer,
    encodeTime(request.thisUpdate),
    encodeTime(request.nextUpdate),
    // §5.1.2.6: without entries the list itself is absent, not empty.
    ...(entries.length === 0 ? [] : [encodeSequence(Buffer.concat(entries))]),
    encode(
      contextConstructed(0),
      encodeSequence(issuer.authorityKeyIdentifierDer, encodeNumber(request.number)),
    ),
  );
  return encodeSequence(signed, issuer.algorithmDer, encodeBitOctets(await issuer.sign(signed)));
}

const versionTwo = encodeInteger(1n);

const encodeNumber = (number: bigint): Buffer =>
  encodeExtension({ oid: oid.crlNumber, critical: false, value: encodeInteger(number) });

/** DER of an entry of a list. */
export function encodeRevocation({ serialNumber, revokedAt, reason }: RevokedCertificate): Buffer {
  const parts = [encodeInteger(BigInt(`0x${serialNumber}`)), encodeTime(revokedAt)];
  return encodeSequence(...parts, ...(reasonEntries.get(reason) ?? []));
}

// §5.3.1: unspecified is said by leaving the reason out.
const reasonEntries: ReadonlyMap<RevocationReason, readonly Buffer[]> = new Map(
  Object.entries(revocationReasons)
    .filter(([reason]) => reason !== 'unspecified')
    .map(([reason, code]) => {
      const value = encodeEnumerated(code);
      const extension = encodeExtension({ oid: oid.crlReason, critical: false, value });
      return [reason as RevocationReason, [encodeSequence(extension)]];
    }),
);
