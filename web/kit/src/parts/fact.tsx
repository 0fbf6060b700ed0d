import type { ReactNode } from 'react';

/** A fact with its title, in a list of facts. */
export function Fact({
  title,
  isMono = false,
  children,
}: {
  readonly title: ReactNode;
  readonly isMono?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <>
      <dt>{title}</dt>
      <dd className={isMono ? 'cl-mono' : undefined}>{children}</dd>
    </>
  );
}
