import { createLoginThrottle, createPasswords } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import type { Denials } from './audit/denials.service.js';
import { createSetupToken } from './users/setup/setup-token.store.js';

/** What sign-in and accounts need. */
export function accountParts(
  { config, database: db, clock, passwordCost, announce }: AppOptions,
  denials: Denials,
  onThrottled: () => void,
) {
  const { bootstrapUsername: username, bootstrapEmail: email, bootstrapPassword: password } = config;
  const isGiven = username !== undefined && email !== undefined && password !== undefined;
  const { passwordMinLength, setupTokenPath } = config;
  return {
    db,
    clock,
    denials,
    passwordMinLength,
    setupTokenPath,
    passwords: createPasswords(passwordCost),
    throttle: createLoginThrottle(clock, onThrottled),
    setupToken: createSetupToken(setupTokenPath, { db, clock }),
    givenAdmin: isGiven ? { username, email, password } : undefined,
    announce: announce ?? ((line: string) => void process.stderr.write(`cert-manager: ${line}\n`)),
  };
}
