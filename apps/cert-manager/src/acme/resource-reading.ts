import { UpstreamFailed } from '@certloop/contracts';
import type { z } from 'zod';

/** Addresses in a list of orders (RFC 8555 §7.1.2.1); none in anything else. */
export function orderUrls(text: string): string[] {
  const value = jsonOf(text) as { readonly orders?: unknown } | null | undefined;
  const urls = value?.orders;
  return Array.isArray(urls) ? urls.filter((url): url is string => typeof url === 'string') : [];
}

/** The resource in the text. Throws UpstreamFailed with the first member that is wrong. */
export function parseResource<S extends z.ZodType>(schema: S, text: string, what: string): z.output<S> {
  const result = schema.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UpstreamFailed(
    `the CA's ${what} does not have the expected form: ${issue?.path.join('.') || 'all of it'}`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The address. Throws UpstreamFailed if the CA gave none. */
export function addressOf(address: string | undefined, what: string): string {
  if (address === undefined) throw new UpstreamFailed(`the CA does not say where the ${what} is`);
  return address;
}
