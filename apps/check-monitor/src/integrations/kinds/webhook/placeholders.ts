import { isoSeconds } from '../../../instants.js';
import { percentEncode } from '../../../percent-encoding.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import { asciiJson } from '../../messages/ascii-json.js';

/** Where a template stands: what it may name, and how values are written there. */
export type Place = 'url' | 'header' | 'body';

/**
 * Text of a template with its placeholders replaced in one pass, so that a value which looks like a placeholder stays
 * as it is. Placeholders that stand for nothing here stay too. Values are percent-encoded in a URL, slashes excepted;
 * a header is made to hold only Latin-1, the rest as XML character references.
 */
export function fillTemplate(template: string, event: AlertEvent, place: Place): string {
  const values = valuesFor(event, place);
  const [first = '', ...rest] = template.split('$');
  const text = first + rest.map((part) => fillPart(`$${part}`, values)).join('');
  return place === 'header' ? latinText(text) : text;
}

/** What templates may name, in addition to `$TAG1`, `$TAG2` and so on. */
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

/** The first that fits counts: $NAME_JSON before $NAME, but $TAG1 before $TAG10. */
function valuesFor(event: AlertEvent, place: Place): Value[] {
  const { check, lastPing, status } = event;
  const written = place === 'url' ? (text: string) => percentEncode(text, '/') : (text: string) => text;
  const body = () => lastPing?.body?.toString('utf8') ?? '';
  return [
    ['$CODE', () => check.uuid],
    ['$STATUS', () => status],
    ['$NOW', () => written(isoSeconds(event.at))],
    ['$NAME_JSON', () => written(asciiJson(check.name))],
    ['$NAME', () => written(check.name)],
    ['$SLUG', () => check.slug],
    ['$TAGS', () => written(check.tags)],
    ['$JSON', () => written(asciiJson(check.json))],
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
