import { column, defineTable } from '@certloop/db';

/** An FQDN whose renewal the policy of its space forbids, as the last review of it found. */
export interface PolicyRefusalRow {
  readonly fqdnId: string;
  readonly spaceId: string;
  /** A sentence for people. */
  readonly reason: string;
  readonly since: Date;
  /** When a renewal was last tried all the same; null while none was due. */
  readonly triedAt: Date | null;
}

export const policyRefusals = defineTable<PolicyRefusalRow>('policy_refusals', {
  columns: {
    fqdnId: column.uuid().primary(),
    spaceId: column.uuid(),
    reason: column.text(),
    since: column.instant(),
    triedAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['triedAt'], where: 'tried_at is not null' }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});
