import { InvalidInput } from '@certloop/contracts';

/** One textual encoding of RFC 7468: `label` as between BEGIN and the dashes, `der` the decoded octets. */
export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

/** Labels under which a PKCS#10 request is known (RFC 7468 §7 and its older spelling). */
export const csrLabels = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'] as const;

export const certificateLabel = 'CERTIFICATE';

// RFC 7468 §3: a label is printable ASCII without a hyphen at an end; upper case is what everything writes.
const boundary = /^-----(BEGIN|END) ([A-Z0-9](?:[A-Z0-9 ]*[A-Z0-9])?)-----[ \t]*$/;
// what was meant to be one; other lines that begin with dashes are text
const brokenBoundary = /^-----\s*(?:BEGIN|END)\b/i;
const indentedBoundary = /^[ \t]+-----BEGIN /m;
const privateKeyMark = /-----\s*BEGIN[^-\r\n]*PRIVATE KEY/i;

/**
 * Blocks of the text in their order; text outside of blocks is ignored (RFC 7468 §2), inside of them only
 * canonical base64 is allowed: no headers, no stray characters, no missing padding. A byte order mark is skipped.
 * Throws InvalidInput (`malformed_pem`) that names the line.
 */
export function parsePemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { label: string; line: number; base64: string[] } | undefined;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const place = index + 1;
    const mark = boundary.exec(line);
    if (mark === null) {
      const isBroken = open === undefined ? brokenBoundary.test(line) : line.startsWith('-----');
      if (isBroken) throw malformed(`line ${place} ${boundaryFault(line)}`);
      open?.base64.push(line.trimEnd());
      continue;
    }
    const [, kind, label = ''] = mark;
    if (kind === 'BEGIN') {
      if (open !== undefined)
        throw malformed(`line ${place} begins a block inside the one of line ${open.line}`);
      open = { label, line: place, base64: [] };
      continue;
    }
    if (open === undefined) throw malformed(`line ${place} ends a block that has no BEGIN line`);
    if (open.label !== label) throw malformed(`line ${place} ends ${label}, but ${open.label} is open`);
    blocks.push({ label, der: decodeBase64(open.base64.join(''), open.line) });
    open = undefined;
  }
  if (open !== undefined) throw malformed(`the block of line ${open.line} has no END line`);
  return blocks;
}

function boundaryFault(line: string): string {
  return line.includes('\\n') ? 'has \\n as text: send line breaks instead' : 'is not a PEM boundary';
}

/**
 * DER of the only block of the text, which must carry one of the labels.
 * Throws InvalidInput: `private_key_in_upload` when a private key is anywhere in the text (even a broken one),
 * `malformed_pem`, or `wrong_pem_block` if there is none, more than one, or another label.
 */
export function parsePem(text: string, labels: readonly string[]): Buffer {
  refusePrivateKey(text);
  const [block, ...rest] = parsePemBlocks(text);
  const wanted = labels.join(' or ');
  if (block === undefined)
    throw wrongBlock(`no PEM block found; ${encodingHint(text) ?? `expected one of ${wanted}`}`);
  if (rest.length > 0) throw wrongBlock(`${rest.length + 1} PEM blocks found; expected exactly one`);
  if (!labels.includes(block.label)) throw wrongBlock(`found a PEM block ${block.label}; expected ${wanted}`);
  return block.der;
}

/** DER of each certificate of the text in its order, at least one. Throws InvalidInput as parsePem does. */
export function splitChain(text: string): Buffer[] {
  refusePrivateKey(text);
  const blocks = parsePemBlocks(text);
  if (blocks.length === 0)
    throw wrongBlock(`no PEM block found; ${encodingHint(text) ?? `expected ${certificateLabel}`}`);
  const stranger = blocks.find((block) => block.label !== certificateLabel);
  if (stranger !== undefined) {
    throw wrongBlock(`found a PEM block ${stranger.label}; expected only ${certificateLabel}`);
  }
  return blocks.map((block) => block.der);
}

/** Why a text has no blocks, by how its octets look when they are read as UTF-8; undefined for other texts. */
function encodingHint(text: string): string | undefined {
  // a SEQUENCE whose length has two octets, as every certificate and CSR has
  if (/^0[\u0080-\uFFFF]/.test(text)) {
    return 'the file is DER: convert it with openssl x509 or openssl req, -inform DER -outform PEM';
  }
  if (text.includes('\0-\0-') || text.includes('-\0-\0')) return 'the file is UTF-16: save it as UTF-8';
  return indentedBoundary.test(text) ? 'its lines are indented: remove the blanks before them' : undefined;
}

/** Text of one block: lines of 64 characters, final newline (RFC 7468 §2). */
export function formatPem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64');
  let lines = '';
  for (let place = 0; place < base64.length; place += 64) lines += `${base64.slice(place, place + 64)}\n`;
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}

function refusePrivateKey(text: string): void {
  if (!privateKeyMark.test(text)) return;
  throw new InvalidInput(
    'The text contains a private key. It was discarded; send only the public part, and treat that key as exposed.',
    { code: 'private_key_in_upload', title: 'A private key was sent' },
  );
}

function decodeBase64(base64: string, line: number): Buffer {
  if (base64 === '') throw malformed(`the block of line ${line} is empty`);
  const der = Buffer.from(base64, 'base64');
  // Node's decoder skips what it does not know; only a canonical text survives the round trip.
  if (der.toString('base64') !== base64) {
    const fault = /[ \t]/.test(base64) ? 'has blanks in its lines: remove them' : 'is not strict base64';
    throw malformed(`the block of line ${line} ${fault}`);
  }
  return der;
}

function malformed(reason: string): InvalidInput {
  return new InvalidInput(`PEM is malformed: ${reason}`, {
    code: 'malformed_pem',
    title: 'PEM is malformed',
  });
}

function wrongBlock(reason: string): InvalidInput {
  return new InvalidInput(`Not the expected PEM: ${reason}`, {
    code: 'wrong_pem_block',
    title: 'Not the expected PEM',
  });
}
