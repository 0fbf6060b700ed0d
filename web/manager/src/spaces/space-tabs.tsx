import { Link } from '@tanstack/react-router';

/** The parts of a space that have pages of their own. */
export function SpaceTabs({ spaceId }: { readonly spaceId: string }) {
  const params = { spaceId };
  const activeOptions = { exact: true, includeSearch: false };
  return (
    <nav className="cl-tabs" aria-label="Parts of the space">
      <Link to="/spaces/$spaceId" params={params} activeOptions={activeOptions}>
        Names
      </Link>
      <Link to="/spaces/$spaceId/acme-clients" params={params} activeOptions={activeOptions}>
        ACME clients
      </Link>
    </nav>
  );
}
