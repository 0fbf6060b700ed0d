import { TextDecoder } from 'node:util';
import { firstField, type MimePart } from './mime.js';

/** The first bytes of a part as its sender had them, at most `maxBytes`. */
export function contentOf(part: MimePart, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const encoding = firstField(part.fields, 'content-transfer-encoding').trim().toLowerCase();
  // a byte is three characters at most, and line breaks are not bytes
  const body = part.body.subarray(0, maxBytes * 4);
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64').subarray(0, maxBytes);
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(body, maxBytes);
  return body.subarray(0, maxBytes);
}

/** Text of a part, of its first `maxBytes` bytes. Bytes that are not text in its character set are replaced. */
export function textOf(part: MimePart, maxBytes: number): string {
  return decoderOf(part.parameters['charset']).decode(contentOf(part, maxBytes));
}

/** UTF-8 where the mail names no character set, as most such mails have it; Latin letters where the name is unknown. */
function decoderOf(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch {
    return new TextDecoder('windows-1252');
  }
}

const equals = 0x3d;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** RFC 2045 §6.7: `=41` is a byte, `=` at the end of a line is nothing, and what is neither stays. */
function decodeQuotedPrintable(body: Buffer, maxBytes: number): Buffer {
  const decoded = Buffer.allocUnsafe(Math.min(body.length, maxBytes));
  let length = 0;
  for (let at = 0; at < body.length && length < decoded.length; ) {
    const width = body[at] === equals ? softBreakWidth(body, at) : 0;
    at += width;
    if (width > 0) continue;
    const byte = body[at] === equals ? (hexDigit(body[at + 1]) << 4) | hexDigit(body[at + 2]) : -1;
    decoded[length] = byte < 0 ? (body[at] ?? 0) : byte;
    length += 1;
    at += byte < 0 ? 1 : 3;
  }
  return decoded.subarray(0, length);
}

function softBreakWidth(body: Buffer, at: number): number {
  if (body[at + 1] === lineFeed) return 2;
  return body[at + 1] === carriageReturn && body[at + 2] === lineFeed ? 3 : 0;
}

/** -1 for anything that is not a digit, so that two digits of which one is none are negative as well. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code & ~0x20;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : -1;
}
