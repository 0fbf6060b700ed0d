import { NotFound, UpstreamFailed } from '@certloop/contracts';

/** Throws for an answer of another server than the service, such as the page of a proxy. */
export async function refuseForeignAnswer(response: Response, service: string): Promise<void> {
  const { status, url } = response;
  if (response.ok || !URL.canParse(url)) return;
  const { origin, pathname } = new URL(url);
  const isPage = response.headers.get('content-type')?.includes('html') === true;
  if (isPage && status > 501)
    throw new UpstreamFailed(
      `${service} at ${origin} does not answer: a server before it answers ${status}; try again, or check the service`,
    );
  if (isPage || (status === 404 && (await hasNoPath(response))))
    throw new NotFound(
      `the server at ${origin} answers ${pathname} with ${status}; check that this is the address of ${service}`,
    );
}

/** Whether the services of CertLoop answer like this for paths that none of their endpoints has. */
async function hasNoPath(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes('nothing exists at this path');
}
