import { ErrorPanel, queryOptions, Redirect, useTitle, Waiting } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../service.js';

const route = getRouteApi('/inside/checks/$checkId');

/** Leads from the link of a message to the page of its check. */
export function FindCheckPage() {
  const { checkId } = route.useParams();
  useTitle('Check', 'monitor');
  const found = useQuery(queryOptions(api.findOwnCheck, { params: { checkId } }));
  if (found.isError) return <ErrorPanel error={found.error} retry={() => void found.refetch()} />;
  if (found.data === undefined) return <Waiting />;
  const { projectId, id } = found.data;
  return <Redirect path={`/projects/${projectId}/checks/${id}`} />;
}
