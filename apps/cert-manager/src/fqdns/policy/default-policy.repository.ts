import type { AllowedNames, IssuancePolicy } from '@certloop/contracts';
import { column, defineTable, deleteRows, findRow, insertOrUpdate, type Tx } from '@certloop/db';

/** The policy of all spaces that have none of their own; at most one row. */
export interface DefaultPolicyRow extends IssuancePolicy {
  readonly name: 'default';
  /** Another one after each change. */
  readonly revision: string;
}

export const defaultPolicies = defineTable<DefaultPolicyRow>('default_policies', {
  columns: {
    name: column.word<'default'>(16).primary(),
    revision: column.uuid(),
    allowedNames: column.json<AllowedNames>().nullable(),
    providerIds: column.json<string[]>().nullable(),
  },
});

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
