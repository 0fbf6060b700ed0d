import type { AccountProject } from '@certloop/contracts/browser';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Where one is, the name of the project, its pages, and what can be done here. */
export function ProjectHead({
  projectId,
  project,
  children,
}: {
  readonly projectId: string;
  readonly project: AccountProject | undefined;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/projects">Projects</Link>
      </nav>
      <div className="cl-title">
        <h1>{project?.name ?? 'Project'}</h1>
        <div className="cl-row">{children}</div>
      </div>
      <nav className="cl-tabs" aria-label="Pages of the project">
        <Link
          to="/projects/$projectId"
          params={{ projectId }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          Checks
        </Link>
        <Link to="/projects/$projectId/integrations" params={{ projectId }}>
          Integrations
        </Link>
        <Link to="/projects/$projectId/badges" params={{ projectId }}>
          Badges
        </Link>
        <Link to="/projects/$projectId/settings" params={{ projectId }}>
          Settings
        </Link>
      </nav>
      {project?.role === 'read-only' && (
        <p className="cl-dim">You may look at this project. Its owner can give you the role member.</p>
      )}
    </>
  );
}
