import { InvalidInput } from '@certloop/contracts';
import { readableText } from '../provider.js';
import { type AcmeContext, knownAccount, proverOf } from './acme-parts.service.js';

/**
 * Whether a CA can be ordered from as configured: directory, nonces, account, and what publishes proofs; in a sentence.
 * Throws InvalidInput, AcmeProblem and UpstreamFailed.
 */
export async function probeAcme({ config, parts, client }: AcmeContext): Promise<string> {
  const { meta } = await client.directory();
  parts.memory.nonces.clear();
  await client.fetchNonce();
  if (meta?.externalAccountRequired === true && config.eab === undefined) throw externalAccountMissing();
  const findings = ['the directory is valid and hands out nonces'];
  const account = await accountFinding({ config, parts, client });
  if (account !== undefined) findings.push(account);
  const backend = await proverOf(config, parts).probe?.();
  if (backend !== undefined) findings.push(backend);
  return findings.join('; ');
}

/** Whether the CA knows the account; undefined when none has been made. */
async function accountFinding(context: AcmeContext): Promise<string | undefined> {
  if (context.parts.keyRing === undefined) return undefined;
  const account = await knownAccount(context);
  if (account === undefined) return undefined;
  const url = await context.client.findAccount(account);
  if (url === undefined) return 'the account is not known to the CA, and will be created again';
  const { contactRefusal: refusal } = account;
  if (refusal === null) return 'the account is known';
  const emails = refusal.contactEmails.join(', ') || 'none';
  return `the account is known, but at ${refusal.at} the CA did not take its contact addresses (${emails}): ${readableText(refusal.reason)}; orders go on, and the CA is asked again daily: correct contactEmails in the configuration of the provider if it refuses them`;
}

/** The refusal to order without an external account from a CA that requires one. */
export function externalAccountMissing(): InvalidInput {
  return new InvalidInput(
    'the CA requires an external account: eab is missing; set eab.kid and eab.hmacKey, as the CA gave them, in the configuration of the provider',
    { code: 'eab_missing' },
  );
}
