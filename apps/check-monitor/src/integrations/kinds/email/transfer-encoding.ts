const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const maxLineLength = 76;
const hex = Buffer.from('0123456789ABCDEF');

/**
 * Bytes in quoted-printable (RFC 2045 §6.7): lines of 76 characters at most, with CRLF between them. Undefined where
 * so few bytes stand for themselves that base64 is shorter.
 */
export function encodeQuotedPrintable(content: Buffer): Buffer | undefined {
  const quoted = content.reduce((count, byte) => count + (isPlain(byte) || isBreak(byte) ? 0 : 1), 0);
  if (quoted > content.length / 6) return undefined;
  // at most: every byte quoted or a line break of its own, and a soft break after 73 characters
  const encoded = Buffer.allocUnsafe(Math.ceil((content.length + 1) * 3 * 1.05) + 16);
  let length = 0;
  let column = 0;
  const write = (...bytes: number[]): void => {
    for (const byte of bytes) encoded[length++] = byte;
  };
  const endLine = (): void => {
    write(carriageReturn, lineFeed);
    column = 0;
  };
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (byte === lineFeed) {
      endLine();
      continue;
    }
    const next = content[at + 1];
    if (byte === carriageReturn && next === lineFeed) continue;
    // a blank at the end of a line would be lost
    const endsLine = next === undefined || isBreak(next);
    const isQuoted = !isPlain(byte) || (endsLine && byte <= 0x20);
    const width = isQuoted ? 3 : 1;
    if (column + width >= maxLineLength) {
      write(0x3d);
      endLine();
    }
    if (isQuoted) write(0x3d, hex[byte >> 4] ?? 0, hex[byte & 15] ?? 0);
    else write(byte);
    column += width;
  }
  return encoded.subarray(0, length);
}

function isPlain(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e && byte !== 0x3d) || byte === 0x09;
}

function isBreak(byte: number): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

/** Bytes in base64, in lines of 76 characters. */
export function encodeBase64(content: Buffer): Buffer {
  return Buffer.from(content.toString('base64').replaceAll(/.{76}(?!$)/g, '$&\r\n'));
}
