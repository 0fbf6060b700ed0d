const armored =
  /-----BEGIN (?:[A-Z0-9]+ )?(?:ENCRYPTED )?PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-|"(?:kty)"\s*:[^}]*"d"\s*:|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY/i;

/**
 * Whether a file holds a private key: PEM of any kind, OpenSSH, PuTTY, JWK, and in DER PKCS#8 plain or encrypted,
 * PKCS#1, SEC 1 and PKCS#12. A file that holds a CSR beside a key counts: it must not leave the browser.
 */
export function holdsPrivateKey(bytes: Uint8Array): boolean {
  return armored.test(new TextDecoder('latin1').decode(bytes)) || isDerKey(bytes);
}

const sequence = 0x30;
const integer = 0x02;
const objectId = 0x06;

/**
 * In DER, a key (RFC 5208, RFC 8017, RFC 5915) and PKCS#12 begin with a version, an encrypted key with the object id of
 * its cipher in a sequence. A CSR and a certificate begin with a sequence that begins with a version or a tag.
 */
function isDerKey(bytes: Uint8Array): boolean {
  const outer = contentOf(bytes, 0);
  if (outer === undefined) return false;
  if (bytes[outer] === integer) return true;
  const inner = contentOf(bytes, outer);
  return inner !== undefined && bytes[inner] === objectId;
}

/** Where the content of the sequence at `start` begins; undefined if there is none. */
function contentOf(bytes: Uint8Array, start: number): number | undefined {
  const length = bytes[start + 1];
  if (bytes[start] !== sequence || length === undefined) return undefined;
  return start + 2 + (length < 0x80 ? 0 : length & 0x7f);
}
