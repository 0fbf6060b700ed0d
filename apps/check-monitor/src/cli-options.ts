import { webhookByUrl } from './integrations/kinds/webhook/webhook-kind.js';

/** A command line that makes no sense; the message says why. */
export class UsageError extends Error {}

/** Options of a command line by name. */
export type Values = { readonly [name: string]: string | boolean | undefined };

/** Value of an option that must be there. */
export function requireOption(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing`);
  return value;
}

/** Value of an option that is one of a few words. */
export function oneOf<Word extends string>(values: Values, name: string, words: readonly Word[]): Word {
  const value = requireOption(values, name);
  const found = words.find((word) => word === value);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${words.join(', ')}`);
  return found;
}

/** Limits of an account; null where the option is absent. */
export function readLimits(values: Values) {
  return { checkLimit: count(values, 'check-limit', 0), pingLimit: count(values, 'ping-limit', 1) };
}

function count(values: Values, name: string, min: number): number | null {
  const value = values[name];
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[0-9]{1,9}$/.test(value) || Number(value) < min) {
    throw new UsageError(`--${name} must be a whole number of at least ${min}`);
  }
  return Number(value);
}

/** Projects of a service that is set up: those of cert-manager, unless the command line names others. */
export function serviceProjects(values: Values): {
  readonly project: string;
  readonly canaryProject?: string | undefined;
} {
  const { project, 'canary-project': canary } = values;
  const canaryProject = typeof canary === 'string' ? canary : undefined;
  if (typeof project === 'string') return { project, canaryProject };
  return { project: 'CertLoop', canaryProject: canaryProject ?? 'CertLoop canary' };
}

/** Settings of a channel: JSON, or only an address. */
export function channelSettings(values: Values): unknown {
  const { url } = values;
  if (typeof url === 'string') return values['kind'] === 'webhook' ? webhookByUrl(url) : { url };
  try {
    return JSON.parse(requireOption(values, 'settings'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError('--settings must be a JSON object, such as {"url": "https://example.org/hook"}');
  }
}
