import { isoSeconds } from '../../../instants.js';
import { percentEncode } from '../../links/percent-encoding.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import { asciiJson } from '../../messages/ascii-json.js';

/** Where a template stands: what it may name, and how values are written there. */
export type Place = 'url' | 'header' | 'body';

/** Characters of a filled message: a template of 1000 characters can name a value 200 times, whatever its length. */
export const maxFilledLength = 500_000;

// servers take much less; to encode values for a URL takes ten times as long as anything else here
const maxValueBytes = { url: 65_536, header: 65_536, body: maxFilledLength } as const;

/** A message that its values make too long to send. */
export class FilledTooLong extends Error {}

/**
 * Text of a template with its placeholders replaced in one pass, so that a value which looks like a placeholder stays
 * as it is. Placeholders that stand for nothing here stay too. Values are percent-encoded in a URL, slashes excepted;
 * a header is made to hold only Latin-1, the rest as XML character references. Throws FilledTooLong if the text is longer
 * than `room`.
 */
export function fillTemplate(
  template: string,
  event: AlertEvent,
  place: Place,
  room = maxFilledLength,
): string {
  const values = valuesFor(event, place);
  const [first = '', ...rest] = template.split('$');
  const parts = [first];
  let length = first.length;
  for (const part of rest) {
    const filled = fillPart(`$${part}`, values);
    length += filled.length;
    if (length > room) throw new FilledTooLong();
    parts.push(filled);
  }
  const text = parts.join('');
  return place === 'header' ? latinText(text) : text;
}

/** Placeholders of templates, in addition to `$TAG1`, `$TAG2` and so on. */
export const placeholderNames = [
  '$CODE',
  '$STATUS',
  '$NOW',
  '$NAME',
  '$NAME_JSON',
  '$SLUG',
  '$TAGS',
  '$JSON',
  '$EXITSTATUS',
  '$BODY',
  '$BODY_JSON',
] as const;

type Placeholder = (typeof placeholderNames)[number] | `$TAG${number}`;
type Value = readonly [placeholder: Placeholder, value: () => string];

function fillPart(part: string, values: readonly Value[]): string {
  const found = values.find(([placeholder]) => part.startsWith(placeholder));
  if (found === undefined) return part;
  const [placeholder, value] = found;
  return value() + part.slice(placeholder.length);
}

/** Reads a value once, however often a template names it. */
function once(value: () => string): () => string {
  let known: string | undefined;
  return () => {
    known ??= value();
    return known;
  };
}

function valuesFor(event: AlertEvent, place: Place): Value[] {
  return orderedValues(event, place).map(([placeholder, value]): Value => [placeholder, once(value)]);
}

/** The first that fits counts: $NAME_JSON before $NAME, but $TAG1 before $TAG10. */
function orderedValues(event: AlertEvent, place: Place): Value[] {
  const { check, lastPing, status } = event;
  const short = (text: string) => {
    if (Buffer.byteLength(text) > maxValueBytes[place]) throw new FilledTooLong();
    return text;
  };
  const written = place === 'url' ? (text: string) => percentEncode(short(text), '/') : short;
  const body = () => short(lastPing?.body?.toString('utf8') ?? '');
  const json = () => {
    short(JSON.stringify(check.json));
    return asciiJson(check.json);
  };
  return [
    ['$CODE', () => check.uuid],
    ['$STATUS', () => status],
    ['$NOW', () => written(isoSeconds(event.at))],
    ['$NAME_JSON', () => written(asciiJson(check.name))],
    ['$NAME', () => written(check.name)],
    ['$SLUG', () => check.slug],
    ['$TAGS', () => written(check.tags)],
    ['$JSON', () => written(json())],
    ...(place === 'body' ? [['$BODY_JSON', () => asciiJson(body())] as const, ['$BODY', body] as const] : []),
    ['$EXITSTATUS', () => String(lastPing?.exitStatus ?? -1)],
    ...check.tagList.map((tag, index): Value => [`$TAG${index + 1}`, () => written(tag)]),
  ];
}

/** Line breaks would end the header, RFC 9110 §5.5. */
function latinText(text: string): string {
  return text
    .replace(/[^\u0020-\u007e\u00a0-\u00ff]/gu, (character) =>
      (character.codePointAt(0) ?? 0) < 0xa0 ? ' ' : `&#${character.codePointAt(0)};`,
    )
    .trim();
}
