import type { Check, ReadOnlyCheck } from '@certloop/contracts';
import { formatDuration } from '../../output/table.js';

/** Row of a check; `countOn` is absent where the key does not see integrations. */
export const checkRowOf = (check: Check | ReadOnlyCheck, countOn?: (check: Check) => number) => ({
  name: check.name,
  status: check.status,
  'last ping': check.last_ping,
  'next ping': check.next_ping,
  expects: check.schedule ?? `every ${formatDuration(check.timeout ?? 0)}`,
  tags: check.tags,
  integrations: countOn && 'channels' in check ? countOn(check) || 'none' : undefined,
  id: 'uuid' in check ? check.uuid : check.unique_key,
});
