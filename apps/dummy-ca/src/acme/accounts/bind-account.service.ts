import type { AskedBinding } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import type { AcmeSettings } from '../acme-settings.js';

/**
 * Accepts the binding of a new account to an external one. Throws `externalAccountRequired` when there must be one,
 * `unauthorized` for an unknown key identifier or a wrong MAC.
 */
export function requireExternalAccount(
  { externalAccounts, requireExternalAccount: isRequired }: AcmeSettings,
  binding: AskedBinding | undefined,
): void {
  if (binding === undefined) {
    if (!isRequired) return;
    throw new AcmeProblem(
      'externalAccountRequired',
      'this CA requires an external account binding (externalAccountBinding)',
    );
  }
  const key = binding.kid === undefined ? undefined : externalAccounts.get(binding.kid);
  if (key === undefined || !binding.isMadeWith(key)) {
    throw new AcmeProblem('unauthorized', 'the external account is unknown or its MAC is wrong');
  }
}
