import { type FieldFault, InvalidInput, type Schema } from '@certloop/contracts';
import { z } from 'zod';

/**
 * Value of an input by its schema. Throws InvalidInput that names every field and its reason, at most 100; `place` is
 * `query`, `params` or `body`, and stands before the field's own path for all but members of a body.
 */
export function parseInput<S extends Schema>(schema: S, value: unknown, place: string): z.output<S> {
  const result = z.safeParse(schema, value, { reportInput: true });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, maxFaults);
  const fields = issues.flatMap((issue) => faultsOf(issue, place)).slice(0, maxFaults);
  throw new InvalidInput(fields.map(({ path, message }) => `${path}: ${message}`).join('; '), { fields });
}

/** Throws InvalidInput that names the members which are not among the known ones. */
export function requireKnownMembers(value: object, known: readonly string[], place: string): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message = `is not known: this operation has ${known.length === 0 ? 'no members here' : known.join(', ')}`;
  const fields = unknown
    .slice(0, maxFaults)
    .map((name) => ({ path: pathOf([name], place), code: 'unknown_member', message }));
  throw new InvalidInput(fields.map(({ path }) => `${path}: ${message}`).join('; '), { fields });
}

// the sentences of thousands would be many times the body that they are about
const maxFaults = 100;

function faultsOf(issue: z.core.$ZodIssue, place: string): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key], place),
      code: 'unknown_member',
      message: 'is not known',
    }));
  }
  const path = pathOf(issue.path, place);
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.path.length > 0) {
    return [{ path, code: 'required', message: 'is required' }];
  }
  return [{ path, code: codeOf(issue), message: lowerFirst(issue.message.replace(/^Invalid input: /, '')) }];
}

/** Code of a rule of our own where it has one, else zod's. */
function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'custom') return issue.code;
  const code: unknown = issue.params?.['code'];
  return typeof code === 'string' ? code : 'not_allowed';
}

/** Path in the form `csr.dnsNames[0]`. */
function pathOf(path: readonly PropertyKey[], place: string): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const own = steps.replace(/^\./, '');
  if (own === '') return place;
  return place === 'body' ? own : `${place}.${own}`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
