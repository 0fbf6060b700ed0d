import type { ProviderKindName } from '@certloop/contracts';
import { createAcmeOpener } from './acme/acme-opener.provider.js';
import { createDummyCaOpener } from './dummy-ca/dummy-ca-opener.provider.js';
import type { OpenerDeps, OpenKind } from './kind-opener.provider.js';

/** How providers of each kind are made. */
export function createOpeners(deps: OpenerDeps): Readonly<Record<ProviderKindName, OpenKind>> {
  return {
    'dummy-ca': createDummyCaOpener(deps),
    acme: createAcmeOpener(deps),
  };
}
