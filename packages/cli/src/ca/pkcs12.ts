import { createPrivateKey, X509Certificate } from 'node:crypto';
import { BmpString, OctetString } from 'asn1js';
import * as pkijs from 'pkijs';

/** Content of a PKCS#12 file. */
export interface Pkcs12Content {
  /** PEM of the private key, in PKCS#8. */
  readonly keyPem: string;
  /** PEM of the certificate of the key and of those above it. */
  readonly certificatePems: readonly string[];
  /** How programs show the key. */
  readonly friendlyName: string;
  readonly password: string;
}

// As OpenSSL 3 writes them, with more rounds: PBES2 with AES-256, and a MAC by SHA-256 (RFC 7292, RFC 8018).
const rounds = 100_000;
const hash = 'SHA-256';
const cipher = { name: 'AES-CBC', length: 256 };

const bagTypes = { key: '1.2.840.113549.1.12.10.1.2', certificate: '1.2.840.113549.1.12.10.1.3' };
const attributeTypes = { friendlyName: '1.2.840.113549.1.9.20', localKeyId: '1.2.840.113549.1.9.21' };

/** DER of a PKCS#12 file (RFC 7292) that OpenSSL 3 and Java from 8u301 on read; key and certificates are encrypted. */
export async function encodePkcs12({
  keyPem,
  certificatePems,
  friendlyName,
  password,
}: Pkcs12Content): Promise<Buffer> {
  const secret = new TextEncoder().encode(password).buffer as ArrayBuffer;
  const encryption = {
    password: secret,
    contentEncryptionAlgorithm: cipher,
    hmacHashAlgorithm: hash,
    iterationCount: rounds,
  };
  const pkcs8 = createPrivateKey(keyPem).export({ type: 'pkcs8', format: 'der' });
  const key = new pkijs.PKCS8ShroudedKeyBag({ parsedValue: pkijs.PrivateKeyInfo.fromBER(pkcs8) });
  await key.makeInternalValues(encryption);
  const ders = certificatePems.map((pem) => new X509Certificate(pem).raw);
  const keyBag = new pkijs.SafeBag({
    bagId: bagTypes.key,
    bagValue: key,
    bagAttributes: attributesOf(friendlyName),
  });
  const certificateBags = ders.map(
    (der, number) =>
      new pkijs.SafeBag({
        bagId: bagTypes.certificate,
        bagValue: new pkijs.CertBag({ parsedValue: pkijs.Certificate.fromBER(der) }),
        ...(number === 0 && { bagAttributes: attributesOf(friendlyName) }),
      }),
  );
  const safe = new pkijs.AuthenticatedSafe({
    parsedValue: {
      safeContents: [
        { privacyMode: 1, value: new pkijs.SafeContents({ safeBags: certificateBags }) },
        // the key is encrypted in its bag
        { privacyMode: 0, value: new pkijs.SafeContents({ safeBags: [keyBag] }) },
      ],
    },
  });
  await safe.makeInternalValues({ safeContents: [encryption, {}] });
  const file = new pkijs.PFX({ parsedValue: { integrityMode: 0, authenticatedSafe: safe } });
  await file.makeInternalValues({
    password: secret,
    iterations: rounds,
    pbkdf2HashAlgorithm: hash,
    hmacHashAlgorithm: hash,
  });
  return Buffer.from(file.toSchema().toBER());
}

/** Returns the attributes that pair the key with its certificate, and by which programs show the two. */
function attributesOf(friendlyName: string): pkijs.Attribute[] {
  const keyId = new OctetString({ valueHex: Uint8Array.of(1).buffer });
  return [
    new pkijs.Attribute({
      type: attributeTypes.friendlyName,
      values: [new BmpString({ value: friendlyName })],
    }),
    new pkijs.Attribute({ type: attributeTypes.localKeyId, values: [keyId] }),
  ];
}
