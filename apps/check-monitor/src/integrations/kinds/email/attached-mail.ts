import libmime from 'libmime';
import { findText, type MimePart, parsePart, partsOf } from '../../../mime.js';
import { contentOf } from '../../../mime-content.js';
import { encodeBase64, encodeQuotedPrintable } from './transfer-encoding.js';

/** A mail in a form that can be attached to another one. */
export interface AttachedMail {
  /** A message in US-ASCII with short lines (RFC 5322), at most about a megabyte. */
  readonly source: Buffer;
  /** Omitted parts of the original, in words; empty if it is complete. */
  readonly omitted: readonly string[];
}

const maxBytes = 1_000_000;
// a third longer when it is encoded
const maxTextBytes = 700_000;
const maxHeaderBytes = 32_000;
const maxPartHeaderBytes = 4000;
const maxParts = 200;
const maxDepth = 5;
// RFC 5322 §2.1.1
const maxLineLength = 998;

/**
 * Rewrites any mail so that it can be attached: mail servers reject large mails, long lines, and mails within mails.
 * The result contains the header, the first text, and the other parts that fit, each encoded again. Attached mails are
 * omitted.
 */
export function attachableMail(original: Buffer): AttachedMail {
  const mail = parsePart(original);
  const text = findText(mail, 'text/plain') ?? findText(mail, 'text/html');
  const body = text && encodeText(text).body;
  const state: EncodingState = { text, room: maxBytes - (body?.length ?? 0), parts: 0, omitted: [] };
  const header = headerOf(state, mail, /^(?!content-|mime-version$)/i, maxHeaderBytes);
  const content = encodePart(state, mail, 0) ?? { header: [], body: Buffer.alloc(0) };
  const lines = [...header, 'MIME-Version: 1.0', ...content.header, '', ''];
  return { source: Buffer.concat([Buffer.from(lines.join('\r\n')), content.body]), omitted: state.omitted };
}

/** State of the encoding of parts one after another. */
interface EncodingState {
  /** The part that has its room before all others. */
  readonly text: MimePart | undefined;
  /** Bytes that are left for the others. */
  room: number;
  /** How many there were. */
  parts: number;
  readonly omitted: string[];
}

interface Encoded {
  readonly header: readonly string[];
  readonly body: Buffer;
}

/** Undefined for what is omitted. */
function encodePart(state: EncodingState, part: MimePart, depth: number): Encoded | undefined {
  state.parts += 1;
  if (state.parts > maxParts || depth > maxDepth) return omit(state, 'parts beyond the first ones');
  if (part.type.startsWith('multipart/')) return encodeMultipart(state, part, depth);
  if (part.type.startsWith('message/')) return omit(state, 'an attached mail or report');
  const isText = part.type.startsWith('text/');
  if (isText && isSame(part, state.text)) {
    if (isCut(part)) omit(state, `the text after its first ${maxTextBytes / 1000} kB`);
    return withHeader(state, part, encodeText(part));
  }
  const size = part.body.length;
  // in another encoding it is no shorter than a third
  const encoded = size > state.room * 3 || (isText && isCut(part)) ? undefined : encodeLeaf(part, isText);
  if (encoded === undefined || encoded.body.length > state.room)
    return omit(state, `${shortType(part)} of ${spokenSize(contentOf(part).length)}`);
  state.room -= encoded.body.length;
  return withHeader(state, part, encoded);
}

function encodeMultipart(state: EncodingState, part: MimePart, depth: number): Encoded | undefined {
  // RFC 2045 §6.7: no encoded line has the first two characters; RFC 2046 §5.1.1: no boundary begins like another
  const boundary = `=_${state.parts}_`;
  const pieces: Buffer[] = [];
  for (const inner of partsOf(part)) {
    const encoded = encodePart(state, inner, depth + 1);
    if (encoded !== undefined) {
      const lines = [`--${boundary}`, ...encoded.header, '', ''].join('\r\n');
      pieces.push(Buffer.from(lines), encoded.body, Buffer.from('\r\n'));
    }
    if (state.parts > maxParts) break;
  }
  if (pieces.length === 0) return undefined;
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return withHeader(state, part, { header: [contentType(part, { boundary })], body });
}

function omit(state: EncodingState, what: string): undefined {
  if (!state.omitted.includes(what)) state.omitted.push(what);
}

function isSame(part: MimePart, text: MimePart | undefined): boolean {
  return part.body.byteOffset === text?.body.byteOffset && part.body.length === text.body.length;
}

function isCut(text: MimePart): boolean {
  return contentOf(text, maxTextBytes + 1).length > maxTextBytes;
}

function encodeLeaf(part: MimePart, isText: boolean): Encoded {
  if (isText) return encodeText(part);
  const header = [contentType(part, {}), 'Content-Transfer-Encoding: base64'];
  return { header, body: encodeBase64(contentOf(part)) };
}

function encodeText(part: MimePart): Encoded {
  const content = contentOf(part, maxTextBytes);
  const readable = encodeQuotedPrintable(content);
  const encoding = readable === undefined ? 'base64' : 'quoted-printable';
  const type = contentType(part, { charset: part.parameters['charset'] ?? 'utf-8' });
  return {
    header: [type, `Content-Transfer-Encoding: ${encoding}`],
    body: readable ?? encodeBase64(content),
  };
}

function withHeader(state: EncodingState, part: MimePart, { header, body }: Encoded): Encoded {
  const fields = headerOf(state, part, /^content-(?!type$|transfer-encoding$|length$)/i, maxPartHeaderBytes);
  return { header: [...header, ...fields], body };
}

function contentType({ type, parameters }: MimePart, changed: Readonly<Record<string, string>>): string {
  const value = libmime.buildHeaderValue({ value: type, params: { ...parameters, ...changed } });
  const line = foldedField('Content-Type', value);
  return line.length > maxPartHeaderBytes
    ? foldedField('Content-Type', `${type}; ${paramsOf(changed)}`)
    : line;
}

function paramsOf(changed: Readonly<Record<string, string>>): string {
  return Object.entries(changed)
    .map(([name, value]) => `${name}="${value}"`)
    .join('; ');
}

/** Fields of the names that are asked for, folded, as many as fit. */
function headerOf(state: EncodingState, { fields }: MimePart, names: RegExp, bytes: number): string[] {
  const lines = fields
    .filter(({ name }) => names.test(name))
    .map(({ name, value }) => foldedField(name, libmime.encodeWords(value, 'Q', 52)));
  let left = bytes;
  const fitting = lines.filter((line) => {
    const fits = line.length <= left && line.split('\r\n').every((each) => each.length <= maxLineLength);
    if (fits) left -= line.length;
    return fits;
  });
  if (fitting.length < lines.length) omit(state, 'long header fields');
  return fitting;
}

function foldedField(name: string, value: string): string {
  return libmime.foldLines(`${name}: ${value.replaceAll(/[^\t -~]+/g, '')}`, 76);
}

function shortType({ type }: MimePart): string {
  return type.replaceAll(/[^!-~]+/g, '').slice(0, 60);
}

function spokenSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
