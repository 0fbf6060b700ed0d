import type { KeyObject } from 'node:crypto';
import { type Extension, encodeExtension } from '../certificates/extensions.js';
import { contextConstructed } from '../der/der.js';
import {
  encode,
  encodeBitOctets,
  encodeInteger,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { csrLabels, formatPem } from '../der/pem.js';
import { exportSpki } from '../keys/keys.js';
import { createSigner } from '../keys/sign.js';
import { encodeGeneralNames, type GeneralNamesInput } from '../names/general-names.js';
import { encodeName, type SubjectFields } from '../names/names.js';

/** Content of a CSR; without names there is no subjectAltName, without a subject it is empty. */
export interface CsrRequest extends GeneralNamesInput {
  readonly privateKey: KeyObject;
  readonly subject?: SubjectFields;
  /** Further extensions to ask for, after the subjectAltName. */
  readonly extensions?: readonly Extension[];
}

export interface BuiltCsr {
  readonly der: Buffer;
  readonly pem: string;
}

/** A request (RFC 2986) signed by its own key. Throws InvalidInput for names or keys that cannot be encoded. */
export async function buildCsr(request: CsrRequest): Promise<BuiltCsr> {
  const signer = createSigner(request.privateKey);
  const signed = encodeSequence(
    encodeInteger(0n),
    encodeName(request.subject ?? {}),
    exportSpki(request.privateKey),
    encode(contextConstructed(0), ...encodeAttributes(request)),
  );
  const signature = await signer.sign(signed);
  const der = encodeSequence(signed, signer.algorithmDer, encodeBitOctets(signature));
  return { der, pem: formatPem(csrLabels[0], der) };
}

function encodeAttributes(request: CsrRequest): Buffer[] {
  const extensions = [...requestedNames(request), ...(request.extensions ?? [])];
  if (extensions.length === 0) return [];
  const list = encodeSequence(...extensions.map(encodeExtension));
  return [encodeSequence(encodeOid(oid.extensionRequest), encodeSetOf(list))];
}

function requestedNames(request: CsrRequest): Extension[] {
  const kinds = [request.dnsNames, request.emailAddresses, request.ipAddresses, request.uris];
  if (kinds.every((names) => (names ?? []).length === 0)) return [];
  return [{ oid: oid.subjectAltName, critical: false, value: encodeGeneralNames(request) }];
}
