import { contextConstructed, tag } from '../der/der.js';
import { encode, encodeInteger, encodeOid, encodeSequence, encodeSetOf } from '../der/der-writer.js';
import { oid } from '../der/oids.js';

/**
 * DER of a SignedData without signatures that holds the certificates in their order (RFC 5652 §5.1, "certs-only"),
 * as files `.p7b` have it.
 */
export function encodeCertsOnly(certificates: readonly Buffer[]): Buffer {
  const signedData = encodeSequence(
    encodeInteger(1n),
    encodeSetOf(),
    encodeSequence(encodeOid(oid.pkcs7Data)),
    // not sorted, as DER would have it: readers take the first one for the leaf, and OpenSSL leaves the order too
    encode(contextConstructed(0), ...certificates),
    encode(tag.set),
  );
  return encodeSequence(encodeOid(oid.signedData), encode(contextConstructed(0), signedData));
}
