import type { BodyOf, certManagerContract, InvalidInput } from '@certloop/contracts';
import { newRowId, onUniqueViolation } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireAdmin } from '../../access/permissions.js';
import { invalidField } from '../../http/problem.js';
import { providerKinds } from '../provider-kinds.js';
import type { ShownProvider } from '../provider-view.js';
import { insertProvider, listProviders, type ProviderRow } from '../providers.repository.js';
import { shownTo } from '../providers.service.js';
import { type ConfigureDeps, sealConfig, validateConfig } from './configure-provider.service.js';
import { newProviderRow } from './ensure-providers.service.js';
import { recordProviderAudit } from './record-change.service.js';
import { maskSecrets } from './stored-config.js';

export type NewProvider = BodyOf<typeof certManagerContract.createProvider>;

/**
 * Adds an enabled provider to the existing ones. Throws Forbidden, and InvalidInput that names the field: a name
 * that is taken, a key of the configuration that is unknown or not valid, or an address that may not be called.
 */
export async function createProvider(
  deps: ConfigureDeps,
  caller: Caller,
  { kind: kindName, name, displayName = name, config }: NewProvider,
): Promise<ShownProvider> {
  requireAdmin(caller);
  const kind = providerKinds[kindName];
  const valid = await validateConfig(deps, kind, config);
  const now = deps.clock.now();
  const unsealed: ProviderRow = {
    ...newProviderRow(kind, now),
    id: newRowId(now),
    kind: kindName,
    name,
    displayName,
    enabled: true,
  };
  const sealed = { ...unsealed, ...sealConfig(unsealed, valid, deps.keyRing) };
  return deps.db.transaction(async (tx) => {
    const row = { ...sealed, createdAt: afterAll(await listProviders(tx), now) };
    await onUniqueViolation(
      () => insertProvider(tx, row),
      () => nameTaken(name),
      ['name'],
    );
    const after = { kind: kindName, displayName, config: maskSecrets(valid, row.secrets) };
    await recordProviderAudit(tx, caller, { action: 'provider.create', row, details: { after } }, now);
    return shownTo(caller, row);
  });
}

/** The moment, or one after every other provider's, as lists are by age and clocks may be wrong. */
function afterAll(others: readonly ProviderRow[], now: Date): Date {
  return new Date(Math.max(now.getTime(), ...others.map(({ createdAt }) => createdAt.getTime() + 1)));
}

function nameTaken(name: string): InvalidInput {
  const message = `another provider is named ${name}; to change it, PUT /providers/{id}/config with its id of GET /providers, or choose another name`;
  return invalidField('name', message, 'name_taken', { code: 'name_taken', title: 'Name is taken' });
}
