import type { KeyObject } from 'node:crypto';
import { contextConstructed } from '../src/der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeInteger,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from '../src/der/der-writer.js';
import { oid } from '../src/der/oids.js';
import { exportSpki } from '../src/keys/keys.js';
import { createSigner } from '../src/keys/sign.js';
import { encodeName } from '../src/names/names.js';

/** Parts of a request that a test wants other than they should be. */
export interface CsrParts {
  readonly version?: Buffer;
  readonly subject?: Buffer;
  readonly spki?: Buffer;
  /** Everything after the public key; [0] around nothing by default. */
  readonly tail?: readonly Buffer[];
  readonly algorithm?: Buffer;
  readonly signature?: Buffer;
}

/** DER of a request of any shape, honestly signed over that shape. */
export async function forgeCsr(privateKey: KeyObject, parts: CsrParts = {}): Promise<Buffer> {
  const signer = createSigner(privateKey);
  const signed = encodeSequence(
    parts.version ?? encodeInteger(0n),
    parts.subject ?? encodeName({ commonName: 'forged.test' }),
    parts.spki ?? exportSpki(privateKey),
    ...(parts.tail ?? [encode(contextConstructed(0))]),
  );
  return encodeSequence(
    signed,
    parts.algorithm ?? signer.algorithmDer,
    parts.signature ?? encodeBitOctets(await signer.sign(signed)),
  );
}

/** DER of the attribute that requests the extensions, given as DER of each. */
export function forgeRequest(extensions: readonly Buffer[], type: string = oid.extensionRequest): Buffer {
  return encodeSequence(encodeOid(type), encodeSetOf(encodeSequence(...extensions)));
}
