import type { Changes } from '@certloop/contracts/browser';

type Change = Changes['changes'][number];

/** Keys of the queries whose data may be out of date after the changes, each once. */
export function changedKeys(changes: readonly Change[]): readonly (readonly string[])[] {
  const keys = changes.flatMap(({ type, spaceId, fqdnId }) => [
    ['audit'],
    // the dashboard and the statistics look at all names
    ...(fqdnId === undefined && !aheadTypes.includes(type) ? [] : [['ahead']]),
    // lists of spaces count what is in each
    ['spaces'],
    ...(spaceId === undefined ? [] : [['space', spaceId]]),
    ...(fqdnId === undefined ? [] : [['fqdns', fqdnId], ['renewals']]),
    ...(queriesByType[type] ?? []),
  ]);
  return [...new Map(keys.map((key) => [key.join(' '), key])).values()];
}

const aheadTypes = ['fqdn', 'space', 'renewal', 'provider'];

const queriesByType: Readonly<Record<string, readonly (readonly string[])[]>> = {
  renewal: [['renewals']],
  provider: [['providers']],
  token: [['tokens']],
  session: [['sessions']],
  user: [['users']],
  'permission-group': [['groups'], ['users']],
};
