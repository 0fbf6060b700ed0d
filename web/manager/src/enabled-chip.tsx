import { StateChip } from '@certloop/web-kit';

/** Whether a user may sign in, or a provider is asked. */
export function EnabledChip({ enabled }: { readonly enabled: boolean }) {
  if (enabled) return <StateChip tone="ok" shape="check" word="enabled" />;
  return <StateChip tone="idle" shape="bars" word="disabled" />;
}
