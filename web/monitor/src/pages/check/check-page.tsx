import type { Check, ReadOnlyCheck } from '@certloop/contracts/browser';
import {
  background,
  ErrorPanel,
  Loaded,
  live,
  queryOptions,
  useTabIcon,
  useTitle,
  WaitingPage,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CheckStateChip, wordOf } from '../../check-states.js';
import { mayChange, projectQuery } from '../../lookups.js';
import { api } from '../../service.js';
import { CheckActions } from './check-actions.js';
import { DiagnosisCard } from './diagnosis-card.js';
import { EventsCard } from './events-card.js';
import { HistoryCard } from './history-card.js';
import { NotifiedCard } from './notified-card.js';
import { PingCard } from './ping-card.js';

const route = getRouteApi('/inside/projects/$projectId/checks/$checkId');

/** A check: its state, since when and why, who is notified, and what to do. */
export function CheckPage() {
  const { projectId, checkId } = route.useParams();
  const params = { projectId, checkId };
  const project = useQuery(projectQuery(projectId));
  const query = useQuery({
    ...queryOptions(api.getAccountCheck, { params, headers: background }),
    ...live(),
  });
  const check = query.data;
  const name = check === undefined ? 'Check' : check.name || check.slug || 'unnamed';
  useTitle(
    check?.status === 'down' || check?.status === 'grace' ? `${wordOf(check.status)} – ${name}` : name,
    'monitor',
  );
  useTabIcon(check === undefined ? undefined : toneOf(check.status));
  if (query.isError && check === undefined) {
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  }
  const canChange = mayChange(project.data);
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/projects">Projects</Link>
        <span aria-hidden="true">/</span>
        <Link to="/projects/$projectId" params={{ projectId }}>
          {project.data?.name ?? 'Project'}
        </Link>
      </nav>
      <Loaded query={query} refresh={live()} waiting={<WaitingPage />}>
        {(found) => (
          <>
            <div className="cl-title">
              <h1>
                <bdi>{name}</bdi>
              </h1>
              <CheckStateChip status={found.status} isRunning={found.started} />
            </div>
            {found.tags.trim() !== '' && <p className="cl-dim cl-anywhere">{found.tags}</p>}
            {canChange && 'uuid' in found && <CheckActions projectId={projectId} check={found} />}
            <Cards projectId={projectId} checkId={checkId} check={found} canChange={canChange} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Cards({
  projectId,
  checkId,
  check,
  canChange,
}: {
  readonly projectId: string;
  readonly checkId: string;
  readonly check: Check | ReadOnlyCheck;
  readonly canChange: boolean;
}) {
  const { n_pings: pings, status } = check;
  return (
    <div className="cl-columns">
      <div className="cl-column">
        <DiagnosisCard projectId={projectId} checkId={checkId} check={check} canChange={canChange} />
        <EventsCard projectId={projectId} checkId={checkId} pings={pings} status={status} />
      </div>
      <div className="cl-column">
        {'uuid' in check && <PingCard check={check} />}
        <NotifiedCard projectId={projectId} check={check} canChange={canChange} />
        <HistoryCard projectId={projectId} checkId={checkId} pings={pings} status={status} />
      </div>
    </div>
  );
}

function toneOf(status: string): 'bad' | 'warn' | 'ok' | undefined {
  if (status === 'down') return 'bad';
  if (status === 'grace') return 'warn';
  return status === 'up' ? 'ok' : undefined;
}
