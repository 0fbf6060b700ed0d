import { secretMask } from './config-rules.js';

/** Configuration as JSON; secrets are stored apart from it, by their dotted path. */
export type Config = Readonly<Record<string, unknown>>;
/** Encrypted secrets by the dotted path of their place in the configuration, such as `eab.hmacKey`. */
export type SealedSecrets = Readonly<Record<string, string>>;

/** Configuration without its secrets, and those by path. */
export function takeSecretsOut(
  config: Config,
  paths: readonly string[],
): { readonly config: Config; readonly secrets: ReadonlyMap<string, string> } {
  const copy = structuredClone(config) as Record<string, unknown>;
  const secrets = new Map<string, string>();
  for (const path of paths) {
    const { holder, key } = holderOf(copy, path);
    const value = holder?.[key];
    if (holder === undefined || typeof value !== 'string') continue;
    secrets.set(path, value);
    delete holder[key];
  }
  return { config: copy, secrets };
}

/** Configuration with secrets in their places; one whose place is gone is omitted. */
export function putSecretsIn(config: Config, secrets: Iterable<readonly [string, string]>): Config {
  const copy = structuredClone(config) as Record<string, unknown>;
  for (const [path, value] of secrets) {
    const { holder, key } = holderOf(copy, path);
    if (holder !== undefined) holder[key] = value;
  }
  return copy;
}

/** Configuration as it may be shown: the mask in place of each secret. */
export function maskSecrets(config: Config, sealed: SealedSecrets): Config {
  return putSecretsIn(
    config,
    Object.keys(sealed).map((path) => [path, secretMask] as const),
  );
}

function holderOf(
  config: Record<string, unknown>,
  path: string,
): { readonly holder: Record<string, unknown> | undefined; readonly key: string } {
  const steps = path.split('.');
  const key = steps.pop() ?? '';
  let holder: unknown = config;
  for (const step of steps) holder = isRecord(holder) ? holder[step] : undefined;
  return { holder: isRecord(holder) ? holder : undefined, key };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
