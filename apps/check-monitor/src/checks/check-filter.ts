import type { checksContract, QueryOf } from '@certloop/contracts';

/** The last slug counts, none when it is empty; every tag counts. */
export function filterOf({ slug, tag }: QueryOf<typeof checksContract.listChecks>) {
  const lastSlug = [slug].flat().at(-1);
  return {
    slug: lastSlug === '' ? undefined : lastSlug,
    tags: [tag ?? []].flat(),
  };
}
