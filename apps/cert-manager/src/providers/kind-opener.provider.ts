import type { AcmeParts } from './acme/acme-parts.service.js';
import type { Config } from './changes/stored-config.js';
import type { Provider } from './provider.js';
import type { ProviderRow } from './providers.repository.js';

/** Parts that providers need in addition to their rows. */
export type OpenerDeps = Omit<AcmeParts, 'providerId' | 'memory'>;

/** Makes the provider of a row; `config` is complete, with its secrets. */
export type OpenKind = (row: Pick<ProviderRow, 'id'>, config: Config) => Provider;

/** Creates how providers of one kind are made; called once, so that it may remember things from call to call. */
export type CreateKindOpener = (deps: OpenerDeps) => OpenKind;
