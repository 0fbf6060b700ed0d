import type { Provider as ProviderOnWire } from '@certloop/contracts';
import type { ProviderRow } from './providers.repository.js';
import type { Config } from './stored-config.js';

/** A provider with the configuration that its reader may see. */
export interface ShownProvider
  extends Pick<ProviderRow, 'id' | 'name' | 'displayName' | 'description' | 'enabled'> {
  readonly shownConfig: Config;
}

export function providerView(provider: ShownProvider): ProviderOnWire {
  return {
    id: provider.id,
    name: provider.name,
    displayName: provider.displayName,
    description: provider.description,
    enabled: provider.enabled,
    config: { ...provider.shownConfig },
  };
}
