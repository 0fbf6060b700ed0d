import { ErrorPanel, Loaded, live, useTitle, WaitingPage } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { mayChange, projectQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { KeysCard } from './keys-card.js';
import { MembersCard } from './members-card.js';
import { ProjectCard } from './project-card.js';

const route = getRouteApi('/inside/projects/$projectId/settings');

/** Members and keys of a project, its name, and its deletion. */
export function SettingsPage() {
  const { projectId } = route.useParams();
  const query = useQuery({ ...projectQuery(projectId), ...live() });
  useTitle(`Settings of ${query.data?.name ?? 'a project'}`, 'monitor');
  if (query.isError && query.data === undefined) {
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  }
  return (
    <>
      <ProjectHead projectId={projectId} project={query.data} />
      <Loaded query={query} waiting={<WaitingPage isTitled />}>
        {(project) => (
          <div className="cl-columns">
            <div className="cl-column">
              <MembersCard project={project} />
              <KeysCard project={project} canChange={mayChange(project)} />
            </div>
            <div className="cl-column">
              <ProjectCard project={project} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}
