import { AcmeProblem, acmeErrorNamespace } from '@certloop/contracts';
import type { OrderIdentifier } from './lineage.js';

const type = 'rejectedIdentifier';

/**
 * The refusal of identifiers, at least one. Each has the same sentence whatever the reason, so that no client learns which
 * names other spaces have.
 */
export function refusedIdentifiers(refused: readonly OrderIdentifier[]): AcmeProblem {
  const subproblems = refused.map(({ type: kind, value }) => ({
    type: `${acmeErrorNamespace}${type}`,
    detail: sentence(value),
    identifier: { type: kind, value },
  }));
  const details = subproblems.slice(0, maxShown).map(({ detail }) => detail);
  const more = refused.length - details.length;
  return new AcmeProblem(type, [...details, ...(more > 0 ? [`and ${more} more`] : [])].join('; '), {
    subproblems,
  });
}

const maxShown = 3;

function sentence(value: string): string {
  return `this client may not have ${value}; administrators of its space can change that`;
}
