/** JSON object in a dump of Healthchecks. */
export type Document = Readonly<Record<string, unknown>>;

/** Members that exist; what is null is not. */
export function withoutNulls(members: Document): Document {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Throws SyntaxError for anything that is not a JSON object. */
export function documentOf(value: string): Document {
  const document: unknown = JSON.parse(value);
  if (typeof document === 'object' && document !== null && !Array.isArray(document))
    return document as Document;
  throw new SyntaxError('not an object');
}

/** The same; `plain` where the value is not JSON but a text, as older versions wrote it. */
export function documentOr(value: string, plain: Document): Document {
  return value.startsWith('{') ? documentOf(value) : plain;
}

/** Member of a document, however deep; undefined if there is none. */
export function memberAt(document: Document, ...path: readonly string[]): unknown {
  let found: unknown = document;
  for (const name of path) found = (found as Document | null | undefined)?.[name];
  return found;
}
