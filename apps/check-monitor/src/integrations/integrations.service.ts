import { channelKindNames } from './channel-kinds.js';
import type { IntegrationDeps } from './create-integration.channel.js';
import type { Integration } from './integration.js';
import { createByKind } from './kinds.channel.js';
import type { ChannelKind } from './kinds.js';

export type Integrations = ReadonlyMap<ChannelKind, Integration>;

const switchedOff = 'its absence from CHECK_MONITOR_DISABLED_INTEGRATIONS';

/** Every integration by its kind; those of `disabledKinds` send nothing. */
export function createIntegrations(
  deps: IntegrationDeps,
  disabledKinds: readonly ChannelKind[],
): Integrations {
  return new Map(
    channelKindNames.map((kind) => {
      const integration = createByKind[kind](deps);
      const isOff = disabledKinds.includes(kind);
      return [kind, isOff ? { ...integration, missing: switchedOff, isSwitchedOff: true } : integration];
    }),
  );
}
