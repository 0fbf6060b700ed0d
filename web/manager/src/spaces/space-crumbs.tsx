import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The way to a page within a space; `children` is the link after that to the space. */
export function SpaceCrumbs({
  spaceId,
  name = 'Space',
  children,
}: {
  readonly spaceId: string;
  readonly name: string | undefined;
  readonly children?: ReactNode;
}) {
  return (
    <nav className="cl-crumbs" aria-label="Where you are">
      <Link to="/spaces">Spaces</Link>
      <span aria-hidden="true">/</span>
      <Link to="/spaces/$spaceId" params={{ spaceId }}>
        {name}
      </Link>
      {children !== undefined && <span aria-hidden="true">/</span>}
      {children}
    </nav>
  );
}
