import { Conflict, NotFound } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { findUuidsBySlug } from '../../checks/rows/checks.repository.js';
import { wrongUrl } from '../incoming-ping.js';
import type { SlugTarget } from '../ping-address.js';

/**
 * Uuid of the check of a slug; undefined if there is none and it is to be made. Throws InvalidInput for what is no
 * slug, Conflict for one of several checks, NotFound.
 */
export async function findTarget(
  { db }: { readonly db: Database },
  { pingKey, slug, create }: SlugTarget,
): Promise<string | undefined> {
  if (slug !== slug.toLowerCase()) throw wrongUrl();
  const [found, another] = await db.read((tx) => findUuidsBySlug(tx, pingKey, slug));
  if (another !== undefined) throw new Conflict('ambiguous slug');
  if (found === undefined && !create) throw new NotFound('not found');
  return found;
}
