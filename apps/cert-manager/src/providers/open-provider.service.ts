import { InvalidInput } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import { createAcmeProvider } from './acme.provider.js';
import { acmeConfigSchema } from './acme-config.js';
import { createDummyCaMemory, createDummyCaProvider, type DummyCaMemory } from './dummy-ca.provider.js';
import { dummyCaConfigSchema } from './dummy-ca-config.js';
import type { KeyRing } from './key-ring.js';
import type { Outgoing } from './outgoing.client.js';
import type { Provider } from './provider.js';
import { providerKinds } from './provider-kinds.js';
import { missingKey } from './provider-state.js';
import { type ProviderRow, secretPlace } from './providers.repository.js';
import { openSecret, SecretUnreadable } from './secret-box.js';
import { type Config, putSecretsIn } from './stored-config.js';

/** Makes providers of their rows. */
export interface ProviderOpener {
  /** The provider, enabled or not. Throws InvalidInput that names the key which its configuration lacks. */
  open(row: ProviderRow): Provider;
  /** The same for new certificates: throws InvalidInput for a disabled provider, too. */
  openForSigning(row: ProviderRow): Provider;
}

export function createProviderOpener(deps: {
  readonly outgoing: Outgoing;
  readonly keyRing: KeyRing | undefined;
  readonly clock: Clock;
}): ProviderOpener {
  const memories = new Map<string, DummyCaMemory>();
  const memoryOf = (id: string): DummyCaMemory => {
    const memory = memories.get(id) ?? createDummyCaMemory();
    memories.set(id, memory);
    return memory;
  };
  const open = (row: ProviderRow): Provider => {
    const config = completeConfig(row, deps.keyRing);
    if (row.name === 'acme') return createAcmeProvider(acmeConfigSchema.parse(config), deps.outgoing);
    const { outgoing, clock } = deps;
    return createDummyCaProvider(dummyCaConfigSchema.parse(config), {
      outgoing,
      clock,
      memory: memoryOf(row.id),
    });
  };
  return {
    open,
    openForSigning: (row) => {
      if (row.enabled) return open(row);
      throw new InvalidInput(`provider is disabled: ${row.name}`, {
        code: 'provider_disabled',
        title: 'Provider is disabled',
      });
    },
  };
}

function completeConfig(row: ProviderRow, keyRing: KeyRing | undefined): Config {
  const config = putSecretsIn(row.config ?? {}, openSecrets(row, keyRing));
  const missing = missingKey(providerKinds[row.name], config);
  if (missing === undefined) return config;
  throw new InvalidInput(`provider ${row.name} is not configured: ${missing} is missing`, {
    code: 'provider_incomplete',
    title: 'Provider is not configured',
    fields: [{ path: `config.${missing}`, code: 'required', message: 'is required' }],
  });
}

function openSecrets(row: ProviderRow, keyRing: KeyRing | undefined): [string, string][] {
  return Object.entries(row.secrets).map(([path, sealed]) => {
    if (keyRing === undefined) throw new SecretUnreadable('there are no encryption keys');
    return [path, openSecret(keyRing, secretPlace(row.id, path), sealed)];
  });
}
