import type { AllowedNames } from '@certloop/contracts';
import { column, defineTable, deleteRows, findRow, insertOrUpdate, type RowOf, type Tx } from '@certloop/db';

export const defaultPolicies = defineTable('default_policies', {
  columns: {
    name: column.word<'default'>(16).primary(),
    /** Another one after each change. */
    revision: column.uuid(),
    allowedNames: column.json<AllowedNames>().nullable(),
    providerIds: column.json<string[]>().nullable(),
  },
});

/** The policy of all spaces that have none of their own; at most one row. */
export type DefaultPolicyRow = RowOf<typeof defaultPolicies>;

export function findDefaultPolicy(tx: Tx): Promise<DefaultPolicyRow | undefined> {
  return findRow(tx, defaultPolicies, { name: 'default' });
}

/** Replaces the policy; undefined removes it. Of two processes that start at once, the second one waits for the first. */
export async function replaceDefaultPolicy(
  tx: Tx,
  policy: Omit<DefaultPolicyRow, 'name'> | undefined,
): Promise<void> {
  if (policy === undefined) await deleteRows(tx, defaultPolicies, { name: 'default' });
  else await insertOrUpdate(tx, defaultPolicies, { name: 'default', ...policy });
}
