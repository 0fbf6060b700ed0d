import type { User } from '@certloop/contracts/browser';
import { StateChip } from '@certloop/web-kit';

/** Whether a user may sign in. */
export function UserStateChip({ user: { enabled } }: { readonly user: User }) {
  return (
    <StateChip tone={enabled ? 'ok' : 'idle'} shape={enabled ? 'check' : 'bars'}>
      {enabled ? 'enabled' : 'disabled'}
    </StateChip>
  );
}
