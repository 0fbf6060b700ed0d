const block = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----[^-]*-----END (?:NEW )?CERTIFICATE REQUEST-----/g;

/** Each CSR in PEM of a text, in its order; empty for a text without one. */
export function csrBlocks(text: string): readonly string[] {
  return text.match(block) ?? [];
}

/**
 * Names that a CSR in PEM asks for, in lower case: its common name, if it looks like a host name, then its DNS names. Only
 * to find what the CSR may be for: the service judges it. Empty for what cannot be read.
 */
export function csrNames(pem: string): readonly string[] {
  try {
    const bytes = Uint8Array.from(atob(pem.replace(/-----[^-]*-----|\s/g, '')), (one) => one.charCodeAt(0));
    // RFC 2986: SEQUENCE { SEQUENCE { version, subject, subjectPKInfo, [0] attributes }, … }
    const [info] = childrenOf(bytes, nodeAt(bytes, 0));
    if (info === undefined) return [];
    const [, subject, , attributes] = childrenOf(bytes, info);
    const names = [...commonNames(bytes, subject), ...dnsNames(bytes, attributes)];
    return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => /^[^\s@/]+$/.test(name));
  } catch {
    return [];
  }
}

/** A value in DER: its tag, and where its content is. */
interface DerNode {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

const commonName = '55:4:3';
const extensionRequest = '2a:86:48:86:f7:d:1:9:e';
const subjectAltName = '55:1d:11';
const dnsNameTag = 0x82;

/** Throws for what goes beyond the bytes or has no definite length. */
function nodeAt(bytes: Uint8Array, at: number): DerNode {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || first === 0x80) throw new RangeError('no DER');
  const size = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + size;
  const length =
    size === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  if (start + length > bytes.length) throw new RangeError('no DER');
  return { tag, start, end: start + length };
}

function childrenOf(bytes: Uint8Array, node: DerNode | undefined): readonly DerNode[] {
  const children: DerNode[] = [];
  for (let at = node?.start ?? 0; node !== undefined && at < node.end; ) {
    const child = nodeAt(bytes, at);
    children.push(child);
    at = child.end;
  }
  return children;
}

const textOf = (bytes: Uint8Array, { start, end }: DerNode) =>
  new TextDecoder().decode(bytes.subarray(start, end));
const idOf = (bytes: Uint8Array, { start, end }: DerNode) =>
  [...bytes.subarray(start, end)].map((byte) => byte.toString(16)).join(':');

/** Children of those pairs below `node` that begin with an object id, without that id. */
function valuesOf(bytes: Uint8Array, pairs: readonly DerNode[], id: string): readonly DerNode[] {
  return pairs.flatMap((pair) => {
    const [key, ...values] = childrenOf(bytes, pair);
    return key !== undefined && idOf(bytes, key) === id ? values : [];
  });
}

function commonNames(bytes: Uint8Array, subject: DerNode | undefined): readonly string[] {
  const pairs = childrenOf(bytes, subject).flatMap((set) => childrenOf(bytes, set));
  return valuesOf(bytes, pairs, commonName).map((value) => textOf(bytes, value));
}

function dnsNames(bytes: Uint8Array, attributes: DerNode | undefined): readonly string[] {
  const requests = valuesOf(bytes, childrenOf(bytes, attributes), extensionRequest);
  const extensions = requests
    .flatMap((set) => childrenOf(bytes, set))
    .flatMap((list) => childrenOf(bytes, list));
  return valuesOf(bytes, extensions, subjectAltName)
    .slice(-1)
    .flatMap((octets) => childrenOf(bytes, octets))
    .flatMap((list) => childrenOf(bytes, list))
    .filter(({ tag }) => tag === dnsNameTag)
    .map((name) => textOf(bytes, name));
}
