import { dns01Name, dns01Value, type Proof } from '@certloop/acme-server/rules';
import { type AcmeChallengeType, AcmeProblem, type ValidationMode } from '@certloop/contracts';
import { createLimiter } from '@certloop/server';
import { proveHttp01 } from './http01.client.js';
import { createNames, type Names } from './names.client.js';
import { proveTlsAlpn01 } from './tls-alpn01.client.js';
import type { ValidationSettings, ValidationTime } from './validation-settings.js';

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

/**
 * Looks for the digest among the TXT records (RFC 8555 §8.4). Throws `dns` when the resolver fails, `unauthorized`
 * without a record, `incorrectResponse` when none of the records is right.
 */
async function proveDns01(
  { identifier, keyAuthorization }: Proof,
  names: Names,
  signal: AbortSignal,
): Promise<void> {
  const name = dns01Name(identifier.value);
  const texts = await names.textsOf(name, signal);
  if (texts.includes(dns01Value(keyAuthorization))) return;
  if (texts.length === 0) throw new AcmeProblem('unauthorized', `${name} has no TXT record`);
  const shown = texts.slice(0, 3).map((text) => JSON.stringify(text.slice(0, 80)));
  throw new AcmeProblem('incorrectResponse', `no TXT record of ${name} is right: ${shown.join(', ')}`);
}
