import { AppError } from '@certloop/contracts';
import { findKind, parseChannelSettings } from '../../integrations/channel-kinds.js';
import type { Kind } from '../../integrations/kind.js';
import { type ChannelKind, channelKinds } from '../../integrations/kinds.js';

/** The imported form of an integration of Healthchecks, or why it cannot be imported. */
export type Integration =
  | { readonly kind: ChannelKind; readonly settings: object }
  | { readonly kind: 'group'; readonly members: readonly string[] }
  | { readonly reason: string };

/** Reads kind and value of an integration. A reason never contains the value, since that contains secrets. */
export function integrationOf(kindName: string, value: string): Integration {
  const kind = findKind(kindName);
  if (kind === undefined) return { reason: `check-monitor has no integrations of the kind ${kindName}` };
  if (kind === 'group') return { kind, members: value.split(',').map((word) => word.trim().toLowerCase()) };
  const { fromHealthchecks }: Kind = channelKinds[kind];
  if (fromHealthchecks === undefined)
    return { reason: `Healthchecks has no integrations of the kind ${kind}` };
  try {
    return { kind, settings: parseChannelSettings(kind, fromHealthchecks(value)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: 'its settings are not JSON' };
    if (error instanceof AppError) return { reason: error.message };
    throw error;
  }
}
