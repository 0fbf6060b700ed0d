import type { QueryClient } from '@tanstack/react-query';
import type { QueryFacts } from './query-options.js';
import { areAffected } from './resource-paths.js';

/** Loads again what depends on the changed resources. Returns once what is shown of them is loaded. */
export async function invalidateChanged(
  queries: Pick<QueryClient, 'invalidateQueries'>,
  changed: readonly string[],
  isMeant: (facts: QueryFacts) => boolean = () => true,
): Promise<void> {
  if (changed.length === 0) return;
  await queries.invalidateQueries({
    predicate: ({ meta = {} }) => areAffected(meta.shows ?? [], changed) && isMeant(meta),
  });
}

/** Forgets what is loaded of a resource that is gone, and of all that belonged to it. */
export function forgetResource(queries: Pick<QueryClient, 'removeQueries'>, resource: string): void {
  queries.removeQueries({
    predicate: ({ meta }) => meta?.shows?.some((path) => `${path}/`.startsWith(`${resource}/`)) === true,
  });
}
