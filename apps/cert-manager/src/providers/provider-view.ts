import type { ProviderKindName, Provider as ProviderOnWire } from '@certloop/contracts';
import type { Config } from './changes/stored-config.js';
import type { ShownPace } from './pace/provider-pace.js';
import { readableText } from './provider.js';
import type { ProviderUsage, StoredTest } from './provider-usage.js';

/** A provider with the configuration that its reader may see. */
export interface ShownProvider {
  readonly id: string;
  readonly kind: ProviderKindName;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly shownConfig: Config;
  /** How fast its CA takes orders; undefined while it has refused none for its rate limit. */
  readonly shownPace?: ShownPace | undefined;
  /** The latest test and the usage; each is undefined if it was not requested or does not exist. */
  readonly shownTest?: StoredTest | undefined;
  readonly usage?: ProviderUsage | undefined;
  /** That the CA did not take contact addresses. */
  readonly contactRefusal?: { readonly at: string; readonly reason: string } | undefined;
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
    ...(provider.shownPace !== undefined && { pace: provider.shownPace }),
    ...(provider.shownTest !== undefined && { lastTest: testView(provider.shownTest) }),
    ...(provider.contactRefusal !== undefined && {
      contactRefused: {
        at: provider.contactRefusal.at,
        message: readableText(provider.contactRefusal.reason),
      },
    }),
    ...(provider.usage !== undefined && { usage: usageView(provider.usage) }),
  };
}

function testView({ at, success, message, durationMs }: StoredTest) {
  return { at, success, message, durationMs };
}

function usageView({ fqdns, pendingRenewals, spaces, lastIssuedAt, lastFailure }: ProviderUsage) {
  return {
    fqdns,
    pendingRenewals,
    ...(spaces.length > 0 && {
      spaces: spaces.map(({ id, name, fqdns: count }) => ({ id, name, fqdns: count })),
    }),
    ...(lastIssuedAt !== undefined && { lastIssuedAt: lastIssuedAt.toISOString() }),
    ...(lastFailure !== undefined && {
      lastFailure: { at: lastFailure.at.toISOString(), message: lastFailure.message },
    }),
  };
}
