import { InvalidInput } from '@certloop/contracts';
import { parseExtensions } from '../certificates/extensions.js';
import { contextConstructed, type DerElement, parseDer, tag } from '../der/der.js';
import { encodeSequence } from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { type GeneralNames, noGeneralNames, parseGeneralNames } from '../names/general-names.js';
import { listCommonNames, parseName } from '../names/names.js';

/** Names of a request that cannot be read as a whole; empty where they cannot be read either. */
export interface SalvagedNames {
  readonly commonNames: readonly string[];
  readonly subjectAltNames: GeneralNames;
}

/** Finds the names in the octets of a broken request, for the command that repairs it. Never throws. */
export function salvageNames(der: Buffer): SalvagedNames {
  const root = attempt(() => parseDer(der, 'CSR')) ?? attempt(() => parseDer(withoutTail(der), 'CSR'));
  const signed = root?.children[0]?.children ?? [];
  const subject = signed.find(({ tag: type }) => type === tag.sequence);
  const attributes = signed.find(({ tag: type }) => type === contextConstructed(0));
  return {
    commonNames: attempt(() => subject && listCommonNames(parseName(subject))) ?? [],
    subjectAltNames: attributes === undefined ? noGeneralNames : namesUnder(attributes),
  };
}

/** The first list of names in the extensions that are requested, however often they are. */
function namesUnder(attributes: DerElement): GeneralNames {
  const extensions = attributes.children
    .flatMap(({ children: [, values] }) => values?.children ?? [])
    .flatMap(({ children }) => children);
  for (const element of extensions) {
    const names = attempt(() => namesOf(element));
    if (names !== undefined) return names;
  }
  return noGeneralNames;
}

function namesOf(element: DerElement): GeneralNames | undefined {
  // a list of one extension has none twice
  const [extension] = parseExtensions(parseDer(encodeSequence(element.raw), 'CSR'));
  return extension?.oid === oid.subjectAltName ? parseGeneralNames(extension.value) : undefined;
}

/** The octets up to the end that their first length gives; octets behind it are dropped. */
function withoutTail(der: Buffer): Buffer {
  const first = der[1] ?? 0;
  const octets = first & 0x7f;
  if (first < 0x80) return der.subarray(0, 2 + first);
  return octets >= 1 && octets <= 4 && der.length >= 2 + octets
    ? der.subarray(0, 2 + octets + der.readUIntBE(2, octets))
    : der;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}
