import type { Io } from '../io.js';

/** The environment without the secrets of certloop: a job that prints its environment would send them to the monitor. */
export function withoutSecrets(env: Io['env']): Io['env'] {
  const isSecret = (name: string) => /^CERTLOOP_\w*(TOKEN|KEY|PASSWORD|SECRET)$/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
}
