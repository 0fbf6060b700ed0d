import { InvalidInput, type ProviderKindName } from '@certloop/contracts';
import { type KeyRing, openSecret, SecretUnreadable } from '@certloop/server';
import { createAcmeOpener } from './acme/acme-opener.provider.js';
import { type Config, putSecretsIn } from './changes/stored-config.js';
import { createDummyCaOpener } from './dummy-ca/dummy-ca-opener.provider.js';
import type { OpenerDeps, OpenKind } from './kind-opener.provider.js';
import type { Provider } from './provider.js';
import { kindOf } from './provider-kinds.js';
import { missingKey } from './provider-state.js';
import { type ProviderRow, secretPlace } from './providers.repository.js';

/** Makes providers of their rows. */
export interface ProviderOpener {
  /** The provider, enabled or not. Throws InvalidInput that names the key which its configuration lacks. */
  open(row: ProviderRow): Provider;
  /** The same for new certificates: throws InvalidInput for a disabled provider, too. */
  openForSigning(row: ProviderRow): Provider;
}

export function createProviderOpener(deps: OpenerDeps): ProviderOpener {
  const openers: Readonly<Record<ProviderKindName, OpenKind>> = {
    'dummy-ca': createDummyCaOpener(deps),
    acme: createAcmeOpener(deps),
  };
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
  const make = (row: ProviderRow) => openers[kindOf(row).name](row, completeConfig(row, deps.keyRing));
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
