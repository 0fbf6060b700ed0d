import { InvalidInput } from '@certloop/contracts';
import type { PolicyRefusal } from './issuance-policy.js';

/** The refusal of a request by the policy of its space: every name and rule, and the ways out. */
export function policyRefused(refusals: readonly [PolicyRefusal, ...PolicyRefusal[]]): InvalidInput {
  const [first] = refusals;
  const isName = first.code === 'name_not_allowed';
  return new InvalidInput(describeRefusals(refusals), {
    code: first.code,
    title: isName ? 'Name not allowed in this space' : 'Provider not allowed in this space',
    fields: refusals.map(({ path, code, message }) => ({ path, code, message })),
  });
}

/** Whether the error is the refusal of a request by the policy of its space. */
export function isPolicyRefused(error: unknown): error is InvalidInput {
  return error instanceof InvalidInput && ['name_not_allowed', 'provider_not_allowed'].includes(error.code);
}

/** Returns a sentence for people: what is refused, and who can change that. */
export function describeRefusals(refusals: readonly [PolicyRefusal, ...PolicyRefusal[]]): string {
  const [{ code, path, message }, ...others] = refusals;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `the issuance policy of the space: ${message}${more}. ${wayOut(code, path)}`;
}

function wayOut(code: PolicyRefusal['code'], path: string): string {
  const own =
    code === 'provider_not_allowed'
      ? 'Choose an allowed provider'
      : path === 'fqdn'
        ? 'Use an allowed name'
        : 'Create a CSR without it';
  return `${own}, or ask an administrator to change the policy`;
}
