import { column, defineTable, insertOrUpdate, type Tx } from '@certloop/db';

/** The latest run of a recurring job that succeeded. */
export interface JobRunRow {
  readonly job: string;
  readonly succeededAt: Date;
  /** Its findings, in one sentence. */
  readonly report: string;
}

export const jobRuns = defineTable<JobRunRow>('job_runs', {
  columns: {
    job: column.word(64).primary(),
    succeededAt: column.instant(),
    report: column.text(),
  },
});

/** Puts the run in the place of the one before it, which another process may store at the same time. */
export function replaceJobRun(tx: Tx, run: JobRunRow): Promise<void> {
  return insertOrUpdate(tx, jobRuns, run);
}
