import type { ReactNode } from 'react';
import { BulkOutcome } from './bulk-outcome.js';
import { CheckList, type CheckListProps } from './check-list.js';
import { useBulkChange } from './use-bulk-change.js';

export interface ProjectChecksProps extends Omit<CheckListProps, 'bulk'> {
  /** Shown in the place of the list; undefined if the project has checks. */
  readonly empty: ReactNode;
}

/** The checks of a project with changes of many; what came of such a change is also shown if it left none. */
export function ProjectChecks({ empty, ...props }: ProjectChecksProps) {
  const bulk = useBulkChange(props.projectId);
  if (empty === undefined) return <CheckList {...props} bulk={bulk} />;
  return (
    <>
      <BulkOutcome bulk={bulk} />
      {empty}
    </>
  );
}
