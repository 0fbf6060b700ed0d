import type { ReactNode } from 'react';
import { useRights } from './rights.js';

/** A page for administrators; others read who can make them one. */
export function AdminsOnly({ children }: { readonly children: ReactNode }) {
  const { isAdmin } = useRights();
  if (isAdmin) return children;
  return (
    <section className="cl-panel" role="alert">
      <h1>You may not see this</h1>
      <p>Only administrators see users and groups. An administrator can make you one.</p>
    </section>
  );
}
