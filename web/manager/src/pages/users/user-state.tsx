import { Icon } from '@certloop/web-kit';

/** That a user is an administrator, which is not a state of health and so has no shape of one. */
export function AdminChip() {
  return (
    <span className="cl-chip" data-tone="active">
      <Icon name="key" size={14} /> administrator
    </span>
  );
}
