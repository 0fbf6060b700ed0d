import libmime from 'libmime';

/** A part of a mail (RFC 2045); a whole mail is one as well. */
export interface MimePart {
  /** Header fields in their order. */
  readonly fields: readonly MimeField[];
  /** Media type in lower case, such as `text/plain`, which is also what a wrong or absent one means. */
  readonly type: string;
  /** Parameters of the media type by their names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Bytes after the header, encoded as they came. */
  readonly body: Buffer;
}

export interface MimeField {
  readonly name: string;
  /** Unfolded, encoded words as they came. */
  readonly value: string;
}

// Anyone may send a mail: each bound is far beyond what programs write.
const maxHeaderBytes = 262_144;
const maxValueLength = 10_000;
const maxBoundaryLines = 10_000;
const maxParts = 200;
const maxDepth = 5;

const fieldForm = /^([!-9;-~]+):[ \t]*(.*)$/s;

/**
 * Takes a mail or a part of one apart, whose header has at most `maxBytes`. A line that is not a header field ends the
 * header. Never throws.
 */
export function parsePart(source: Buffer, maxBytes = maxHeaderBytes): MimePart {
  const lines: string[] = [];
  // the line by which mailbox files part mails
  let at = source.toString('latin1', 0, 5) === 'From ' ? source.indexOf(0x0a) + 1 : 0;
  while (at < source.length && at < maxBytes) {
    const lineFeed = source.indexOf(0x0a, at);
    const end = lineFeed < 0 ? source.length : lineFeed + 1;
    const line = source.toString('utf8', at, Math.min(end, at + maxBytes)).replace(/\r?\n$/, '');
    const isFolded = /^[ \t]/.test(line);
    if (line !== '' && !isFolded && !fieldForm.test(line)) break;
    at = end;
    if (line === '') break;
    if (!isFolded) lines.push(line);
    else if (lines.length > 0) lines.push(`${lines.pop()}${line}`);
  }
  const fields = lines.map(fieldOfLine);
  return { fields, ...mediaType(firstField(fields, 'content-type')), body: source.subarray(at) };
}

function fieldOfLine(line: string): MimeField {
  const [, name = '', value = ''] = fieldForm.exec(line) ?? [];
  return { name, value };
}

function mediaType(value: string): Pick<MimePart, 'type' | 'parameters'> {
  const parsed = libmime.parseHeaderValue(value.slice(0, maxValueLength));
  const type = String(parsed.value).trim().toLowerCase();
  return { type: /^[^/\s]+\/[^/\s]+$/.test(type) ? type : 'text/plain', parameters: parsed.params };
}

/** Value of the first field of a name, which is given in lower case; empty if there is none. */
export function firstField(fields: readonly MimeField[], name: string): string {
  return fields.find((field) => field.name.toLowerCase() === name)?.value ?? '';
}

/** The first Subject, its encoded words (RFC 2047) decoded. */
export function subjectOf({ fields }: Pick<MimePart, 'fields'>): string {
  return libmime.decodeWords(firstField(fields, 'subject').slice(0, maxValueLength));
}

/** Sources of the parts of a multipart (RFC 2046 §5.1), taken out one by one as they are asked for. */
function* sourcesOfParts({ type, parameters, body }: MimePart, budget: SearchBudget): Generator<Buffer> {
  const boundary = parameters['boundary'] ?? '';
  if (!type.startsWith('multipart/') || boundary === '') return;
  const mark = Buffer.from(`--${boundary}`);
  let begin: number | undefined;
  let at = body.indexOf(mark);
  while (at >= 0 && budget.boundaryLines > 0) {
    budget.boundaryLines -= 1;
    const line = boundaryLine(body, at, mark.length);
    if (line !== undefined) {
      if (begin !== undefined) yield body.subarray(begin, Math.max(begin, endBefore(body, at)));
      if (line.isLast) return;
      begin = line.end;
    }
    at = body.indexOf(mark, at + mark.length);
  }
  // a last boundary that is missing ends with the mail
  if (begin !== undefined) yield body.subarray(begin);
}

/** The line of a boundary at `at`: whether it is the last one, and where it ends. Undefined within a text. */
function boundaryLine(
  body: Buffer,
  at: number,
  length: number,
): { readonly isLast: boolean; readonly end: number } | undefined {
  if (at > 0 && body[at - 1] !== 0x0a) return undefined;
  const rest = body.toString('latin1', at + length, at + length + 200);
  const [whole, last] = /^(--)?[ \t]*(?:\r?\n|$)/.exec(rest) ?? [];
  return whole === undefined ? undefined : { isLast: last !== undefined, end: at + length + whole.length };
}

/** The line break before a boundary belongs to the boundary. */
function endBefore(body: Buffer, at: number): number {
  const lineFeed = at - 1;
  return body[lineFeed - 1] === 0x0d ? lineFeed - 1 : lineFeed;
}

/**
 * The text of a kind, such as `text/html`, that a reader of the mail sees first: no attachment, nothing of an attached
 * mail or of a report, and of a multipart/related only what it begins with (RFC 2387 §3.2). Undefined without one.
 */
export function findText(mail: MimePart, type: string): MimePart | undefined {
  let parts = 0;
  const budget = newBudget();
  const find = (part: MimePart, depth: number): MimePart | undefined => {
    parts += 1;
    if (budget.headerBytes <= 0) return undefined;
    if (/^\s*attachment\b/i.test(firstField(part.fields, 'content-disposition'))) return undefined;
    if (part.type.startsWith('text/')) return part.type === type ? part : undefined;
    if (depth > maxDepth) return undefined;
    for (const inner of part.type === 'multipart/related' ? rootOf(part, budget) : partsOf(part, budget)) {
      const found = find(inner, depth + 1);
      if (found !== undefined || parts > maxParts) return found;
    }
    return undefined;
  };
  return find(mail, 0);
}

/** Budget of all parts of a mail together, as much as one of them: parts times lines would take seconds. */
interface SearchBudget {
  headerBytes: number;
  boundaryLines: number;
}

const newBudget = (): SearchBudget => ({ headerBytes: maxHeaderBytes, boundaryLines: maxBoundaryLines });

/** Parts of a multipart, until their headers are too long. */
export function* partsOf(part: MimePart, budget: SearchBudget = newBudget()): Generator<MimePart> {
  for (const source of sourcesOfParts(part, budget)) {
    if (budget.headerBytes <= 0) return;
    const inner = parsePart(source, budget.headerBytes);
    budget.headerBytes -= source.length - inner.body.length;
    yield inner;
  }
}

function rootOf(related: MimePart, budget: SearchBudget): MimePart[] {
  const { start } = related.parameters;
  let first: MimePart | undefined;
  let parts = 0;
  for (const part of partsOf(related, budget)) {
    first ??= part;
    parts += 1;
    if (start === undefined || parts > maxParts) break;
    if (firstField(part.fields, 'content-id').trim() === start) return [part];
  }
  return first === undefined ? [] : [first];
}
