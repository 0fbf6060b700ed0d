import { type AcmeChallengeType, AcmeProblem, type ValidationMode } from '@certloop/contracts';
import { createLimiter } from '@certloop/server';
import type { Proof } from '../records/challenges.js';
import { proveDns01 } from './dns01.client.js';
import { proveHttp01 } from './http01.client.js';
import { createNames } from './names.client.js';
import { proveTlsAlpn01 } from './tls-alpn01.client.js';
import type { ValidationSettings } from './validation-settings.js';
import type { ValidationTime } from './validation-time.js';

/** Resolves when the challenge is met; otherwise rejects with the AcmeProblem that says why. */
export type ValidateChallenge = (challenge: Proof & { readonly type: AcmeChallengeType }) => Promise<void>;

// Each that runs holds a socket and little else, each that waits hardly anything.
const validationLimits = { atOnce: 200, maxWaiting: 20_000 };

/** The mode is asked for again each time. */
export function createValidation(
  settings: ValidationSettings,
  modeNow: () => ValidationMode = () => settings.mode,
): ValidateChallenge {
  const names = createNames(settings);
  const limited = createLimiter(validationLimits);
  return ({ type, ...proof }) => {
    switch (modeNow()) {
      case 'always-valid':
        return Promise.resolve();
      case 'always-invalid':
        return Promise.reject(
          new AcmeProblem('unauthorized', 'this server is configured to reject every validation'),
        );
      case 'real':
        return limited(() => {
          const time = timeOf(settings);
          if (type === 'dns-01') return proveDns01(proof, names, time.signal);
          const prove = type === 'http-01' ? proveHttp01 : proveTlsAlpn01;
          return prove(proof, names, settings, time);
        });
    }
  };
}

/** The time of a validation that begins now. */
function timeOf({ timeoutMs, maxConnectMs }: ValidationSettings): ValidationTime {
  const end = performance.now() + timeoutMs;
  return {
    signal: AbortSignal.timeout(timeoutMs),
    msLeft: () => Math.max(0, end - performance.now()),
    maxConnectMs,
  };
}
