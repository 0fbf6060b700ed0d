import { z } from 'zod';

const resource = z.url({ protocol: /^https?$/ });

const directorySchema = z.object({
  newNonce: resource,
  newAccount: resource,
  newOrder: resource,
  revokeCert: resource.optional(),
  keyChange: resource.optional(),
  renewalInfo: resource.optional(),
  meta: z
    .object({
      externalAccountRequired: z.boolean().optional(),
      termsOfService: z.string().optional(),
      // draft-ietf-acme-profiles §3: names with what they mean
      profiles: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
});
/** Directory of an ACME server (RFC 8555 §7.1.1, RFC 9773 §4.1). */
export type AcmeDirectory = z.output<typeof directorySchema>;

/**
 * Directory of a JSON text, or in one sentence why it is none. Its resources must be at the directory's own
 * origin, so that a directory cannot send this service elsewhere.
 */
export function readDirectory(directoryUrl: string, text: string): AcmeDirectory | string {
  const result = directorySchema.safeParse(parseJson(text));
  if (!result.success) {
    const [issue] = result.error.issues;
    return `the answer is not an ACME directory: ${issue?.path.join('.') || 'it'} is missing or wrong`;
  }
  const { newNonce, newAccount, newOrder, revokeCert, keyChange, renewalInfo } = result.data;
  const { origin } = new URL(directoryUrl);
  const stray = [newNonce, newAccount, newOrder, revokeCert, keyChange, renewalInfo].find(
    (address) => address !== undefined && new URL(address).origin !== origin,
  );
  return stray === undefined ? result.data : `the directory points to another host: ${new URL(stray).host}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
