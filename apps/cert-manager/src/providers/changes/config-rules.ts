import { portFault } from '@certloop/server/banned-ports';
import { z } from 'zod';

/** Shown in place of a stored secret; sent back, it keeps the secret. */
export const secretMask = '********';

/** Key that may be omitted or null, and then has the value `fallback`. */
export function orDefault<S extends z.ZodType>(schema: S, fallback: z.output<S>) {
  return schema.nullish().transform((value): z.output<S> => value ?? fallback);
}

/** Key that may be omitted; null clears it. */
export function orNothing<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value): z.output<S> | undefined => value ?? undefined);
}

/** A secret by its own rule, or the mask. */
export function secretOrMask<S extends z.ZodType<string>>(rule: S) {
  const checked = z.string().superRefine((text, context) => {
    if (text === secretMask) return;
    const result = rule.safeParse(text);
    // The refused text stays out of the message: it may be the secret with a slip of the pen.
    for (const issue of result.error?.issues ?? []) {
      context.addIssue({ code: 'custom', message: issue.message });
    }
  });
  return checked.meta({ writeOnly: true });
}

/** Whole number between the bounds, both included. */
export function wholeNumber(minimum: number, maximum: number) {
  return z.int().min(minimum).max(maximum);
}

/** Address of a document: absolute, http or https, without credentials and fragment. */
export const documentAddress = z
  .string()
  .max(2000)
  .superRefine((text, context) => {
    const fault = addressFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** Address that paths are appended to: as `documentAddress`, without a query and without a slash at its end. */
export const serviceAddress = documentAddress
  .refine((text) => !text.includes('?'), 'must not have a query')
  .transform((text) => text.replace(/\/+$/, ''));

function addressFault(text: string): string | undefined {
  const rule = 'must be an absolute http or https address';
  if (/[\s\p{C}]/u.test(text) || !URL.canParse(text)) return rule;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return rule;
  if (username !== '' || password !== '') return 'must not carry credentials';
  return text.includes('#') ? 'must not have a fragment' : portFault(text);
}
