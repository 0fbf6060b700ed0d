import { column, defineTable, insertOrUpdate, type RowOf, type Tx } from '@certloop/db';

export const jobRuns = defineTable('job_runs', {
  columns: {
    job: column.word(64).primary(),
    succeededAt: column.instant(),
    /** Its findings, in one sentence. */
    report: column.text(),
  },
});

/** The latest run of a recurring job that succeeded. */
export type JobRunRow = RowOf<typeof jobRuns>;

/** Puts the run in the place of the one before it, which another process may store at the same time. */
export function replaceJobRun(tx: Tx, run: JobRunRow): Promise<void> {
  return insertOrUpdate(tx, jobRuns, run);
}
