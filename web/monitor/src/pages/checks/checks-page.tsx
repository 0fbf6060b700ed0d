import type { CheckCounts } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  countOf,
  EmptyState,
  ErrorPanel,
  Loaded,
  live,
  Steps,
  serviceUrl,
  useNow,
  useTabIcon,
  useTitle,
  WaitingTable,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { AlertReachNotice, hasDelivered } from '../../alert-reach.js';
import { countsText, sumOf, titleOf, worstOf } from '../../check-states.js';
import { mayChange, projectQuery, reachQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { BulkOutcome } from './bulk-outcome.js';
import { shownColumns } from './check-columns.js';
import { CheckList, type CheckListProps } from './check-list.js';
import { isNarrowed } from './checks-toolbar.js';
import { NewCheck } from './new-check.js';
import { useBulkChange } from './use-bulk-change.js';
import { useLiveChecks } from './use-live-checks.js';

const route = getRouteApi('/inside/projects/$projectId');

/** The checks of a project, those in need first, with their states as they change. */
export function ChecksPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const project = useQuery(projectQuery(projectId));
  const checks = useLiveChecks(projectId, search);
  const { rows, counts } = checks;
  const name = project.data?.name ?? 'Project';
  useTitle(titleOf(counts, name), 'monitor');
  useTabIcon(counts === undefined ? undefined : worstOf(counts));
  const canChange = mayChange(project.data);
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const all = counts === undefined ? 0 : sumOf(counts);
  const isEmpty = rows === undefined || (rows.length === 0 && !isNarrowed(search));
  const add = canChange && <AddButton label="New check" onClick={() => setAdding(true)} />;
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data}>
        {(isNarrowed(search) || all > 0) && add}
      </ProjectHead>
      <AlertReachNotice projectId={projectId} />
      <Announced counts={counts} />
      {counts !== undefined && all > 0 && <h2>{countsText(counts)}</h2>}
      <Loaded
        query={checks.query}
        refresh={live()}
        waiting={<WaitingTable columns={shownColumns(projectId)} canSelect={canChange} />}
      >
        {() => (
          <ProjectChecks
            // what was selected, and what came of a change, is of one project
            key={projectId}
            projectId={projectId}
            search={search}
            change={(next) => void navigate({ search: next, replace: true })}
            live={checks}
            canChange={canChange}
            empty={isEmpty ? <NoCheck projectId={projectId}>{add}</NoCheck> : undefined}
          />
        )}
      </Loaded>
      {/* also after the right has gone: it holds what was typed, and the refusal */}
      <NewCheck projectId={projectId} isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

interface ProjectChecksProps extends Omit<CheckListProps, 'bulk'> {
  /** Shown in the place of the list; undefined if the project has checks. */
  readonly empty: ReactNode;
}

/** The checks of a project with changes of many; what came of such a change is also shown if it left none. */
function ProjectChecks({ empty, ...props }: ProjectChecksProps) {
  const bulk = useBulkChange(props.projectId);
  if (empty === undefined) return <CheckList {...props} bulk={bulk} />;
  return (
    <>
      <BulkOutcome bulk={bulk} />
      {empty}
    </>
  );
}

/** How many checks are down, for screen readers, which hear about a change at most every 10 s. */
function Announced({ counts }: { readonly counts: CheckCounts | undefined }) {
  const tick = useNow(10_000);
  const announced = useRef({ tick, text: '' });
  const text = counts !== undefined && counts.down > 0 ? `${countOf(counts.down, 'check')} down` : '';
  if (announced.current.tick !== tick) announced.current = { tick, text };
  return (
    <p className="cl-visually-hidden" role="status">
      {announced.current.text}
    </p>
  );
}

function NoCheck({ projectId, children }: { readonly projectId: string; readonly children: ReactNode }) {
  const reach = useQuery(reachQuery(projectId)).data;
  return (
    <EmptyState title="This project has no check yet">
      <p>
        A check waits for the pings of a job. When one does not come, it notifies the integrations of its
        project.
      </p>
      <Steps
        label="First steps"
        steps={[
          { key: 'check', isDone: false, text: 'Create a check.' },
          { key: 'ping', isDone: false, text: 'Let its job call the ping address of the check.' },
          {
            key: 'integration',
            isDone: hasDelivered(reach),
            text: (
              <>
                <Link to="/projects/$projectId/integrations" params={{ projectId }}>
                  Add an integration
                </Link>{' '}
                and send a test with it, so that people are notified.
              </>
            ),
          },
        ]}
      />
      {children}
      <ByCommand text={createCommand()} />
    </EmptyState>
  );
}

function createCommand(): string {
  return `curl -H "X-Api-Key: $KEY" -d '{"name":"Nightly backup","timeout":86400,"channels":"*"}' \\
  ${serviceUrl()}/api/v3/checks/`;
}
