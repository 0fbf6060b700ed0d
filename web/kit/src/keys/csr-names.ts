const begin = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END/;

const objectId = 0x06;
const commonName = '55 04 03';
const subjectAltName = '55 1d 11';
/** GeneralName of the kind dNSName (RFC 5280 §4.2.1.6). */
const dnsName = 0x82;
const constructed = 0x20;

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/**
 * DNS names that a CSR asks for, the common name first, each once and in lower case; none for what is no CSR. It only
 * finds the FQDN for which a CSR is meant: the service reads and judges the CSR itself.
 */
export function csrNames(bytes: Uint8Array): readonly string[] {
  const names: string[] = [];
  for (const [id, value] of namedValues(derOf(bytes))) {
    if (id === commonName) names.push(textOf(value.content));
    if (id === subjectAltName) {
      const general = elementsIn(value.content)[0];
      const listed = general === undefined ? [] : elementsIn(general.content);
      names.push(...listed.filter(({ tag }) => tag === dnsName).map(({ content }) => textOf(content)));
    }
  }
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function derOf(bytes: Uint8Array): Uint8Array {
  const [, armored] = begin.exec(new TextDecoder('latin1').decode(bytes)) ?? [];
  if (armored === undefined) return bytes;
  try {
    return Uint8Array.from(atob(armored.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Each object id at any depth with the element that stands after it. */
function* namedValues(der: Uint8Array, depth = 0): Generator<readonly [string, Element]> {
  const elements = elementsIn(der);
  for (const [place, { tag, content }] of elements.entries()) {
    const next = elements[place + 1];
    if (tag === objectId && next !== undefined) yield [hexOf(content), next];
    if ((tag & constructed) !== 0 && depth < 12) yield* namedValues(content, depth + 1);
  }
}

const hexOf = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

/** The elements that stand one after the other; what does not fit ends them. */
function elementsIn(bytes: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
    const more = first < 0x80 ? 0 : first & 0x7f;
    if (more > 3) return elements;
    let length = more === 0 ? first : 0;
    for (const byte of bytes.subarray(at + 2, at + 2 + more)) length = length * 256 + byte;
    const from = at + 2 + more;
    if (from + length > bytes.length) return elements;
    elements.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}
