import type { User } from '@certloop/contracts/browser';
import { Icon, StateChip } from '@certloop/web-kit';

/** Whether a user may sign in. */
export function UserStateChip({ user: { enabled } }: { readonly user: User }) {
  return (
    <StateChip tone={enabled ? 'ok' : 'idle'} shape={enabled ? 'check' : 'bars'}>
      {enabled ? 'enabled' : 'disabled'}
    </StateChip>
  );
}

/** That a user is an administrator, which is not a state of health and so has no shape of one. */
export function AdminChip() {
  return (
    <span className="cl-chip" data-tone="active">
      <Icon name="key" size={14} /> administrator
    </span>
  );
}
