import type { ProviderKindName, Provider as ProviderOnWire } from '@certloop/contracts';
import type { Config } from './changes/stored-config.js';

/** A provider with the configuration that its reader may see. */
export interface ShownProvider {
  readonly id: string;
  readonly kind: ProviderKindName;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly shownConfig: Config;
}

export function providerView(provider: ShownProvider): ProviderOnWire {
  return {
    id: provider.id,
    kind: provider.kind,
    name: provider.name,
    displayName: provider.displayName,
    description: provider.description,
    enabled: provider.enabled,
    config: { ...provider.shownConfig },
  };
}
