import { type Inventory, maxInventoryRows } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { readableSpaces } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { type RecentAnswers, sharedOrOwn } from '../outlook/recent-answers.store.js';
import { readAuthorities } from './authorities.service.js';
import { countInventory } from './inventory.repository.js';

export interface ShowInventoryDeps extends DbDeps {
  /** Inventories of callers who may read all, good for a minute. */
  readonly inventories: RecentAnswers;
}

/** Counts of the names in spaces that the caller may read, by facts of their newest certificates. */
export function showInventory(
  { db, clock, inventories }: ShowInventoryDeps,
  caller: Caller,
  { spaceId }: { readonly spaceId?: string | undefined },
): Promise<Inventory> {
  const scope = readableSpaces(caller, spaceId);
  const read = () =>
    db.longRead(async (tx): Promise<Inventory> => {
      const { names, unfinished, ...counts } = await countInventory(tx, scope, maxInventoryRows);
      const samples = new Map(counts.authorities.map(({ value, certificateId }) => [value, certificateId]));
      const known = await readAuthorities(tx, samples);
      return {
        ...{ names, unfinished },
        issuers: counts.issuers.map((one) => ({ issuer: one.value, names: one.names })),
        authorities: counts.authorities.flatMap((one) => {
          const authority = known.get(one.value);
          if (authority === undefined) return [];
          const { subject, expiresAt } = authority;
          return [{ sha256: one.value, subject, expiresAt: expiresAt.toISOString(), names: one.names }];
        }),
        keys: counts.keys.map((one) => ({ key: one.value, names: one.names })),
        renewedBy: counts.owners.map((one) => ({ renewedBy: one.value, names: one.names })),
        computedAt: clock.now().toISOString(),
      };
    });
  return sharedOrOwn(inventories, caller, spaceId ?? '', read);
}
