import { AcmeProblem, acmeErrorNamespace } from '@certloop/contracts';
import type { RefusedName } from '../../acme-clients/client-names.js';

const type = 'rejectedIdentifier';

/**
 * The refusal of identifiers, at least one. Each is a subproblem with the same sentence whatever the reason, so that no
 * client learns which names other spaces have.
 */
export function refusedIdentifiers(refused: readonly RefusedName[]): AcmeProblem {
  const subproblems = refused.map(({ name, message }) => ({
    type: `${acmeErrorNamespace}${type}`,
    detail: message,
    identifier: { type: name.type, value: name.value },
  }));
  const details = subproblems.slice(0, maxShown).map(({ detail }) => detail);
  const more = refused.length - details.length;
  return new AcmeProblem(type, [...details, ...(more > 0 ? [`and ${more} more`] : [])].join('; '), {
    subproblems,
  });
}

const maxShown = 3;
