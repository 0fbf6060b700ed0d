import { InvalidInput, type IssuancePolicy, sentPolicySchema } from '@certloop/contracts';
import { z } from 'zod';
import { normalPolicy } from '../fqdns/policy/policy-input.js';

/** A setting that holds a policy as JSON, in its normal form; undefined for one without limits. */
export const policyText = z.string().transform((text, context): IssuancePolicy | undefined => {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch (error) {
    return fail(`must be a policy as JSON, such as {"allowedNames":{…}}: ${messageOf(error)}`);
  }
  const reading = sentPolicySchema.safeParse(sent);
  if (!reading.success) {
    const [issue] = reading.error.issues;
    return fail(`${issue?.path.join('.') || 'the policy'}: ${issue?.message}`);
  }
  try {
    const policy = normalPolicy(reading.data);
    return policy.allowedNames === null && policy.providerIds === null ? undefined : policy;
  } catch (error) {
    if (error instanceof InvalidInput) return fail(error.message);
    throw error;
  }
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
