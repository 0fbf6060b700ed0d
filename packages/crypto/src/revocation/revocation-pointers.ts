import { InvalidInput } from '@certloop/contracts';
import { type Extension, findExtension } from '../certificates/extensions.js';
import { contextConstructed, contextPrimitive, parseDer } from '../der/der.js';
import { decodeOid } from '../der/der-values.js';
import { encode, encodeNull, encodeOid, encodeSequence } from '../der/der-writer.js';
import { oid } from '../der/oids.js';

/** Addresses at which a verifier finds out more about the issuer of a certificate; what is omitted is not written. */
export interface RevocationPointers {
  /** Where the revocation list is. */
  readonly crl?: string | undefined;
  /** Where the OCSP responder is. */
  readonly ocsp?: string | undefined;
  /** Where the DER of the issuer's certificate is. */
  readonly issuer?: string | undefined;
}

/** CRL distribution point (RFC 5280 §4.2.1.13) and authority information access (§4.2.2.1), neither critical. */
export function encodePointers({ crl, ocsp, issuer }: RevocationPointers): Extension[] {
  const accesses = [...encodeAccess(oid.ocsp, ocsp), ...encodeAccess(oid.caIssuers, issuer)];
  return [
    ...(crl === undefined
      ? []
      : [{ oid: oid.crlDistributionPoints, critical: false, value: encodeDistributionPoint(crl) }]),
    ...(accesses.length === 0
      ? []
      : [{ oid: oid.authorityInfoAccess, critical: false, value: encodeSequence(...accesses) }]),
  ];
}

/**
 * Addresses at which the certificate of the issuer is (RFC 5280 §4.2.2.1), by http or https; none for an extension that
 * cannot be read.
 */
export function readIssuerAddresses(extensions: readonly Extension[]): string[] {
  const extension = findExtension(extensions, oid.authorityInfoAccess);
  if (extension === undefined) return [];
  try {
    const accesses = parseDer(extension.value, 'authority information access').children;
    return accesses.flatMap(({ children: [method, location] }) => {
      if (method === undefined || location?.tag !== contextPrimitive(6)) return [];
      const isIssuer = decodeOid(method, 'an access method') === oid.caIssuers;
      const address = location.content.toString('latin1');
      return isIssuer && /^https?:\/\//i.test(address) && URL.canParse(address) ? [address] : [];
    });
  } catch (error) {
    if (error instanceof InvalidInput) return [];
    throw error;
  }
}

/** Says that an OCSP responder's certificate need not be asked about (RFC 6960 §4.2.2.2.1). */
export const ocspNoCheck: Extension = { oid: oid.ocspNoCheck, critical: false, value: encodeNull() };

function encodeAccess(method: string, address: string | undefined): Buffer[] {
  return address === undefined ? [] : [encodeSequence(encodeOid(method), encodeUri(address))];
}

/** One point with a full name that is one address. */
function encodeDistributionPoint(address: string): Buffer {
  const fullName = encode(contextConstructed(0), encodeUri(address));
  return encodeSequence(encodeSequence(encode(contextConstructed(0), fullName)));
}

// An address is ASCII once it is written as URLs are: others are escaped.
const encodeUri = (address: string): Buffer =>
  encode(contextPrimitive(6), Buffer.from(new URL(address).href, 'latin1'));
