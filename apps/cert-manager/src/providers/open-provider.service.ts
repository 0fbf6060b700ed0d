import { InvalidInput, type ProviderKindName } from '@certloop/contracts';
import { createKeyedLimiter } from '@certloop/server';
import { createAcmeProvider } from './acme/acme.provider.js';
import { acmeConfigSchema } from './acme/acme-config.js';
import { type AcmeMemory, type AcmeParts, createAcmeMemory } from './acme/acme-parts.service.js';
import { type Config, putSecretsIn } from './changes/stored-config.js';
import {
  createDummyCaMemory,
  createDummyCaProvider,
  type DummyCaMemory,
} from './dummy-ca/dummy-ca.provider.js';
import { dummyCaConfigSchema } from './dummy-ca/dummy-ca-config.js';
import type { Provider } from './provider.js';
import { kindOf } from './provider-kinds.js';
import { missingKey } from './provider-state.js';
import { type ProviderRow, secretPlace } from './providers.repository.js';
import type { KeyRing } from './secrets/key-ring.js';
import { openSecret, SecretUnreadable } from './secrets/secret-box.js';

/** Makes providers of their rows. */
export interface ProviderOpener {
  /** The provider, enabled or not. Throws InvalidInput that names the key which its configuration lacks. */
  open(row: ProviderRow): Provider;
  /** The same for new certificates: throws InvalidInput for a disabled provider, too. */
  openForSigning(row: ProviderRow): Provider;
}

/** What providers need beside their rows. */
export type OpenerDeps = Omit<AcmeParts, 'providerId' | 'memory'>;

export function createProviderOpener(deps: OpenerDeps): ProviderOpener {
  const dummyCaMemoryOf = remembered<DummyCaMemory>(createDummyCaMemory);
  const limitByName = createKeyedLimiter(1);
  const acmeMemoryOf = remembered<AcmeMemory>(() => createAcmeMemory(limitByName));
  // As long as a row says the same, its configuration is read, and its secrets are opened, once. What opens ACME
  // reads the directory of the CA, which may change.
  const opened = new Map<string, { readonly said: string; readonly provider: Provider }>();
  const open = (row: ProviderRow): Provider => {
    if (kindOf(row).issuance === 'order') return make(row);
    const said = JSON.stringify([row.name, row.config, row.secrets]);
    const known = opened.get(row.id);
    if (known?.said === said) return known.provider;
    const provider = make(row);
    opened.set(row.id, { said, provider });
    return provider;
  };
  const makers: Readonly<Record<ProviderKindName, (row: ProviderRow, config: Config) => Provider>> = {
    'dummy-ca': ({ id }, config) =>
      createDummyCaProvider(dummyCaConfigSchema.parse(config), { ...deps, memory: dummyCaMemoryOf(id) }),
    acme: ({ id: providerId }, config) => {
      const acme = acmeConfigSchema.parse(config);
      // nonces of one CA are nothing to another
      const memory = acmeMemoryOf(`${providerId} ${acme.directoryUrl}`);
      return createAcmeProvider(acme, { ...deps, providerId, memory });
    },
  };
  const make = (row: ProviderRow) => makers[kindOf(row).name](row, completeConfig(row, deps.keyRing));
  return {
    open,
    openForSigning: (row) => {
      if (row.enabled) return open(row);
      throw new InvalidInput(
        `provider is disabled: ${row.name}; an administrator enables it by PUT /providers/{id}/enabled or by certloop providers enable ${row.name}`,
        {
          code: 'provider_disabled',
          title: 'Provider is disabled',
        },
      );
    },
  };
}

/** Makes one memory for each key, and keeps it. */
function remembered<T>(create: () => T): (key: string) => T {
  const memories = new Map<string, T>();
  return (key) => {
    const memory = memories.get(key) ?? create();
    memories.set(key, memory);
    return memory;
  };
}

function completeConfig(row: ProviderRow, keyRing: KeyRing | undefined): Config {
  const config = putSecretsIn(row.config ?? {}, openSecrets(row, keyRing));
  const missing = missingKey(kindOf(row), config);
  if (missing === undefined) return config;
  throw new InvalidInput(
    `provider ${row.name} is not configured: ${missing} is missing; an administrator sets it by PUT /providers/{id}/config`,
    {
      code: 'provider_incomplete',
      title: 'Provider is not configured',
      fields: [{ path: `config.${missing}`, code: 'required', message: 'is required' }],
    },
  );
}

function openSecrets(row: ProviderRow, keyRing: KeyRing | undefined): [string, string][] {
  return Object.entries(row.secrets).map(([path, sealed]) => {
    if (keyRing === undefined) throw new SecretUnreadable('there are no encryption keys');
    return [path, openSecret(keyRing, secretPlace(row.id, path), sealed)];
  });
}
