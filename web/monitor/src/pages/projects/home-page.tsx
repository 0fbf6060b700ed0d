import { Loaded, Redirect } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { projectsQuery } from '../../lookups.js';

/** Leads to the projects, or to the only one. */
export function HomePage() {
  const query = useQuery(projectsQuery);
  return (
    <Loaded query={query}>
      {([first, ...others]) => (
        <Redirect path={first === undefined || others.length > 0 ? '/projects' : `/projects/${first.id}`} />
      )}
    </Loaded>
  );
}
