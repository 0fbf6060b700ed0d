import type { Changes } from '@certloop/contracts/browser';

type Change = Changes['changes'][number];

/** Paths of the resources that have changed, each once. */
export function changedResources(changes: readonly Change[]): readonly string[] {
  const paths = changes.flatMap(({ type, spaceId, fqdnId }) => [
    // each change is an entry of the log
    '/audit-logs',
    ...(spaceId === undefined ? [] : [`/spaces/${spaceId}${fqdnId === undefined ? '' : `/fqdns/${fqdnId}`}`]),
    ...(pathsByType[type] ?? []),
  ]);
  return [...new Set(paths)];
}

const pathsByType: Readonly<Record<string, readonly string[]>> = {
  renewal: ['/renewal-queue'],
  provider: ['/providers'],
  token: ['/api-tokens'],
  session: ['/auth/sessions'],
  user: ['/users'],
  'permission-group': ['/permission-groups'],
};
