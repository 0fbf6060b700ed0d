import type { ClientNames } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { findAllowedNames } from '../fqdns/policy/policy-rules.repository.js';
import { requireNarrower } from './client-names.js';
import { namesRequired } from './client-settings.js';

/**
 * Throws InvalidInput for a client without names in a space whose policy does not limit names, and for names beyond those
 * that the policy allows, unless they are among those that the client has already.
 */
export async function requireAllowedNames(
  tx: Tx,
  spaceId: string,
  names: ClientNames | null,
  before: ClientNames | null,
): Promise<void> {
  const allowed = await findAllowedNames(tx, spaceId);
  if (names !== null) return requireNarrower(names, allowed, before);
  if (allowed !== null) return;
  throw namesRequired(
    'is required, as the issuance policy of the space does not limit names: the client could have every name that a provider can prove',
  );
}
