import type { InvalidInput } from '@certloop/contracts';
import { type KeyRing, parseInput, sealSecret } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { requireAdmin } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { invalidField } from '../../http/problem.js';
import type { Outgoing } from '../outgoing.client.js';
import { readableText } from '../provider.js';
import type { ProviderKind, ProviderSecret } from '../provider-kind.js';
import { kindOf } from '../provider-kinds.js';
import { addressOriginOf, targetsOf } from '../provider-state.js';
import {
  getProvider,
  isBuiltIn,
  lockProvider,
  type ProviderRow,
  secretPlace,
  updateProvider,
} from '../providers.repository.js';
import { secretMask } from './config-rules.js';
import type { ProviderAddresses } from './ensure-providers.service.js';
import { recordProviderAudit } from './record-change.service.js';
import { type Config, maskSecrets, type SealedSecrets, takeSecretsOut } from './stored-config.js';

/** Dependencies of the configuration of a provider. */
export interface ConfigureDeps extends DbDeps {
  readonly outgoing: Outgoing;
  readonly keyRing: KeyRing | undefined;
  readonly addresses: ProviderAddresses;
}

/**
 * Replaces the configuration; a secret sent as its mask stays unchanged. Throws NotFound, and InvalidInput that names
 * the key which is unknown, invalid, or an address that may not be called.
 */
export async function setProviderConfig(
  deps: ConfigureDeps,
  caller: Caller,
  { id, config }: { readonly id: string; readonly config: Config },
): Promise<string> {
  requireAdmin(caller);
  const provider = await deps.db.read((tx) => getProvider(tx, id));
  const valid = await validateConfig(deps, kindOf(provider), config);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const row = await lockProvider(tx, id);
    const { config: open, secrets } = sealConfig(row, valid, deps.keyRing);
    const environmentAddress = addressOfEnvironment(deps, row, open);
    const change = { config: open, secrets, environmentAddress, updatedAt: now, lastTest: null, pace: null };
    await updateProvider(tx, id, change);
    const before = maskSecrets(row.config ?? {}, row.secrets);
    const after = maskSecrets(open, secrets);
    await recordProviderAudit(
      tx,
      caller,
      { action: 'provider.config', row, details: { before, after } },
      now,
    );
  });
  return `provider ${provider.name} is configured`;
}

/** A configuration with its defaults. Throws InvalidInput that names the key which is not valid. */
export async function validateConfig(
  { outgoing }: Pick<ConfigureDeps, 'outgoing'>,
  kind: ProviderKind,
  config: Config,
): Promise<Config> {
  const valid = asJson(parseInput(kind.schema, config, 'config'));
  await refuseBadTargets(outgoing, kind, valid);
  return valid;
}

/**
 * A valid configuration as it is stored in the row, whose secrets are used where their masks were sent. Throws
 * InvalidInput that names the secret which cannot be stored, or whose mask would send it to another address.
 */
export function sealConfig(row: ProviderRow, valid: Config, keyRing: KeyRing | undefined) {
  const { secrets: kinds } = kindOf(row);
  const { config, secrets: given } = takeSecretsOut(
    valid,
    kinds.map(({ path }) => path),
  );
  const moved = kinds.filter(
    ({ sentTo }) => addressOriginOf(config, sentTo) !== addressOriginOf(row.config ?? {}, sentTo),
  );
  return { config, secrets: sealSecrets(row, given, { moved, keyRing }) };
}

/** Without the keys that were omitted, as it will be read again. */
function asJson(config: Config): Config {
  return JSON.parse(JSON.stringify(config)) as Config;
}

async function refuseBadTargets(outgoing: Outgoing, kind: ProviderKind, config: Config): Promise<void> {
  const allowPrivate = config['allowPrivateNetwork'] === true;
  for (const { path, address } of targetsOf(kind, config)) {
    const reason = await outgoing.refusalOf({ address, allowPrivate });
    if (reason === undefined) continue;
    const isAllowable = (await outgoing.refusalOf({ address, allowPrivate: true })) === undefined;
    const hint = isAllowable ? '; set config.allowPrivateNetwork to true if it is in a network of yours' : '';
    const message = readableText(`is not called: it ${reason}${hint}`);
    const details = { code: 'target_refused', title: 'Address is not called' };
    throw invalidField(`config.${path}`, message, 'target_refused', details);
  }
}

interface SealParts {
  /** Secrets that would be sent to another address than before, which would reveal them. */
  readonly moved: readonly ProviderSecret[];
  readonly keyRing: KeyRing | undefined;
}

/** Newly given secrets encrypted, and the stored ones whose mask was sent. */
function sealSecrets(
  row: ProviderRow,
  given: ReadonlyMap<string, string>,
  { moved, keyRing }: SealParts,
): SealedSecrets {
  const sealed = [...given].map(([path, secret]) => {
    const stored = row.secrets[path];
    if (secret !== secretMask) return [path, seal(row.id, path, secret, keyRing)];
    if (stored === undefined) throw secretRefused(path, 'is the mask of a secret that is not stored');
    const receiver = moved.find((other) => other.path === path)?.sentTo;
    if (receiver === undefined) return [path, stored];
    throw secretRefused(path, `is sent to ${receiver}, which changes: enter the secret again`);
  });
  return Object.fromEntries(sealed) as SealedSecrets;
}

function seal(rowId: string, path: string, secret: string, keyRing: KeyRing | undefined): string {
  if (keyRing !== undefined) return sealSecret(keyRing, secretPlace(rowId, path), secret);
  throw secretRefused(path, 'cannot be stored: this service has no ENCRYPTION_KEYS');
}

function secretRefused(path: string, message: string): InvalidInput {
  return invalidField(`config.${path}`, message, 'secret_refused');
}

/** The environment's address when the configuration has the same, so that it goes on following it. */
function addressOfEnvironment({ addresses }: ConfigureDeps, row: ProviderRow, config: Config): string | null {
  const kind = kindOf(row);
  const address = isBuiltIn(row) ? addresses[kind.name] : undefined;
  return address !== undefined && config[kind.addressKey] === address ? address : null;
}
