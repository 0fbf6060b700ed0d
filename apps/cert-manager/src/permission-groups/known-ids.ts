import { InvalidInput } from '@certloop/contracts';

/** Throws InvalidInput that names each of the listed ids that is not known as a `kind`. */
export function requireKnown(
  path: string,
  ids: readonly string[],
  kind: 'space' | 'user' | 'permission group',
  known: readonly string[],
): void {
  const set = new Set(known);
  const fields = ids.flatMap((id, index) =>
    set.has(id) ? [] : [{ path: `${path}[${index}]`, code: 'unknown', message: `names no ${kind}` }],
  );
  if (fields.length === 0) return;
  throw new InvalidInput(fields.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    code: `unknown_${kind.replaceAll(' ', '_')}`,
    title: `Unknown ${kind}`,
    fields,
  });
}
