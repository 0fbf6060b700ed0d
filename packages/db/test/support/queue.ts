import { LessThanOrEqual } from 'typeorm';
import {
  claimDue,
  column,
  createTables,
  defineTable,
  dropTables,
  entitiesOf,
  type Schema,
  type Tx,
} from '../../src/index.js';

export interface JobRow {
  readonly id: number;
  readonly status: 'pending' | 'processing' | 'completed';
  readonly dueAt: Date;
  readonly leaseUntil: Date | null;
  readonly attempt: number;
}

export const jobs = defineTable<JobRow>('jobs', {
  columns: {
    id: column.key(),
    status: column.word(10),
    dueAt: column.instant(),
    leaseUntil: column.instant().nullable(),
    attempt: column.integer(),
  },
  indexes: [{ columns: ['dueAt'], where: "status <> 'completed'" }],
});

export const queue: Schema = {
  entities: (dialect) => entitiesOf(dialect, [jobs]),
  migrations: [
    {
      name: '0001-initial',
      up: (runner, dialect) => createTables(runner, dialect, [jobs]),
      down: (runner) => dropTables(runner, [jobs]),
    },
  ],
};

/** Claims the earliest due job for 60 seconds. */
export function claimJob(tx: Tx, now: Date): Promise<JobRow | undefined> {
  return claimDue(tx, {
    table: jobs,
    where: [
      { status: 'pending', dueAt: LessThanOrEqual(now) },
      { status: 'processing', leaseUntil: LessThanOrEqual(now) },
    ],
    order: { dueAt: 'ASC' },
    set: ({ attempt }) => ({
      status: 'processing',
      leaseUntil: new Date(now.getTime() + 60_000),
      attempt: attempt + 1,
    }),
  });
}
