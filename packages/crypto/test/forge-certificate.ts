import type { KeyObject } from 'node:crypto';
import { encodeExtension } from '../src/certificates/extensions.js';
import { contextConstructed, contextPrimitive } from '../src/der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeBoolean,
  encodeInteger,
  encodeNamedBits,
  encodeOctetString,
  encodeOid,
  encodeSequence,
} from '../src/der/der-writer.js';
import { oid } from '../src/der/oids.js';
import { encodeTime } from '../src/der/times.js';
import { exportSpki, keyIdentifier } from '../src/keys/keys.js';
import { createSigner } from '../src/keys/sign.js';
import { encodeGeneralNames } from '../src/names/general-names.js';
import { encodeName } from '../src/names/names.js';

/** Who signs a forged certificate: the key, and the name it goes by. */
export interface Forger {
  readonly privateKey: KeyObject;
  readonly name: Buffer;
}

export type ExtensionName =
  | 'basicConstraints'
  | 'keyUsage'
  | 'subjectKeyIdentifier'
  | 'authorityKeyIdentifier'
  | 'subjectAltName';

/** Parts that a test wants other than they should be; an extension set to undefined is omitted. */
export interface CertificateParts {
  readonly version?: Buffer;
  readonly serialNumber?: Buffer;
  readonly issuer?: Buffer;
  readonly notBefore?: Buffer;
  readonly notAfter?: Buffer;
  readonly subject?: Buffer;
  readonly spki?: Buffer;
  readonly extensions?: Partial<Record<ExtensionName, Buffer | undefined>>;
  readonly furtherExtensions?: readonly Buffer[];
  readonly innerAlgorithm?: Buffer;
  readonly algorithm?: Buffer;
  readonly signature?: Buffer;
}

/** DER of an extension by the name of its type. */
export function forgeExtension(name: ExtensionName, critical: boolean, value: Buffer): Buffer {
  return encodeExtension({ oid: oid[name], critical, value });
}

/** DER of a certificate of any shape; without parts a flawless leaf for `leaf.test`, valid through 2026. */
export async function forgeCertificate(
  forger: Forger,
  spki: Buffer,
  parts: CertificateParts = {},
): Promise<Buffer> {
  const signer = createSigner(forger.privateKey);
  const algorithm = parts.algorithm ?? signer.algorithmDer;
  const extensions = { ...validExtensions(forger, spki), ...parts.extensions };
  const list = [...Object.values(extensions), ...(parts.furtherExtensions ?? [])].filter(
    (extension) => extension !== undefined,
  );
  const signed = encodeSequence(
    parts.version ?? encode(contextConstructed(0), encodeInteger(2n)),
    parts.serialNumber ?? encodeInteger(7n),
    parts.innerAlgorithm ?? algorithm,
    parts.issuer ?? forger.name,
    encodeSequence(
      parts.notBefore ?? encodeTime(new Date('2026-01-01T00:00:00Z')),
      parts.notAfter ?? encodeTime(new Date('2026-12-31T23:59:59Z')),
    ),
    parts.subject ?? encodeName({ commonName: 'leaf.test' }),
    parts.spki ?? spki,
    ...(list.length === 0 ? [] : [encode(contextConstructed(3), encodeSequence(...list))]),
  );
  return encodeSequence(signed, algorithm, parts.signature ?? encodeBitOctets(await signer.sign(signed)));
}

/** Parts that turn the leaf into an authority of that name. */
export function authorityParts(commonName: string, pathLength?: number): CertificateParts {
  const bound = pathLength === undefined ? [] : [encodeInteger(BigInt(pathLength))];
  return {
    subject: encodeName({ commonName }),
    extensions: {
      basicConstraints: forgeExtension(
        'basicConstraints',
        true,
        encodeSequence(encodeBoolean(true), ...bound),
      ),
      keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([5, 6])),
      subjectAltName: undefined,
    },
  };
}

function validExtensions({ privateKey }: Forger, spki: Buffer): Record<ExtensionName, Buffer | undefined> {
  const authority = encode(contextPrimitive(0), keyIdentifier(exportSpki(privateKey)));
  return {
    basicConstraints: forgeExtension('basicConstraints', true, encodeSequence()),
    keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([0])),
    subjectKeyIdentifier: forgeExtension(
      'subjectKeyIdentifier',
      false,
      encodeOctetString(keyIdentifier(spki)),
    ),
    authorityKeyIdentifier: forgeExtension('authorityKeyIdentifier', false, encodeSequence(authority)),
    subjectAltName: forgeExtension('subjectAltName', false, encodeGeneralNames({ dnsNames: ['leaf.test'] })),
  };
}

/** An extension with `critical` FALSE written out, which DER forbids. */
export function forgeUncriticalWrittenOut(dotted: string, value: Buffer): Buffer {
  return encodeSequence(encodeOid(dotted), encodeBoolean(false), encodeOctetString(value));
}
