import { createHash } from 'node:crypto';
import type { AllowedNames, IssuancePolicy } from '@certloop/contracts';

// an audit entry holds 8 KiB; what else is in it needs less than one
const maxBytes = 7000;

/** Both policies for the audit log; of long ones only how long each list is, and a digest that identifies it. */
export function changeDetails(before: IssuancePolicy, after: IssuancePolicy): Record<string, unknown> {
  const whole = { before, after };
  if (Buffer.byteLength(JSON.stringify(whole)) <= maxBytes) return whole;
  return { before: summaryOf(before), after: summaryOf(after) };
}

function summaryOf({ allowedNames, providerIds }: IssuancePolicy) {
  return {
    allowedNames: allowedNames && namesSummary(allowedNames),
    providerIds: providerIds && listSummary(providerIds),
  };
}

/** Lists of names with each long one shortened as `listSummary` does. */
export function namesSummary(lists: Omit<AllowedNames, 'beyondFqdn'>) {
  return {
    ...lists,
    names: listSummary(lists.names),
    suffixes: listSummary(lists.suffixes),
    cidrs: listSummary(lists.cidrs),
  };
}

const maxWhole = 3;

/** A short list as it is; of a longer one its length, its beginning and the SHA-256 of its JSON. */
export function listSummary(list: readonly string[]) {
  if (list.length <= maxWhole) return list;
  const sha256 = createHash('sha256').update(JSON.stringify(list)).digest('hex');
  return { count: list.length, first: list.slice(0, maxWhole), sha256 };
}
