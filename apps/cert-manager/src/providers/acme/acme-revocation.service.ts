import { AcmeProblem } from '@certloop/contracts';
import { revocationReasons, splitChain } from '@certloop/crypto';
import { isRefusal } from '../../acme/problem-reading.js';
import { type RevocationOrder, type RevokeOutcome, readableText } from '../provider.js';
import { type AcmeContext, knownAccount } from './acme-parts.service.js';

/** Revokes a certificate by the account that ordered it (RFC 8555 §7.6). Throws AcmeProblem and UpstreamFailed. */
export async function revokeByAccount(
  context: AcmeContext,
  { certificatePem, reason }: RevocationOrder,
): Promise<RevokeOutcome> {
  const { client } = context;
  const { revokeCert } = await client.directory();
  if (revokeCert === undefined) {
    return refused('the CA does not revoke certificates by ACME; revoke it in the way that the CA documents');
  }
  const account = await knownAccount(context);
  if (account?.accountUrl === undefined) {
    return refused(`there is no account with the CA; ${byItsKey}`);
  }
  const [der] = splitChain(certificatePem);
  if (der === undefined) throw new RangeError('a chain has a leaf');
  try {
    await client.revoke(account, der, revocationReasons[reason]);
    return { status: 'revoked' };
  } catch (error) {
    if (!(error instanceof AcmeProblem && isRefusal(error))) throw error;
    return refusalOf(error);
  }
}

const byItsKey =
  "who has the certificate's private key can revoke it at the CA without the account, for example with certbot revoke --cert-path FILE --key-path FILE";

function refusalOf({ type, message }: AcmeProblem): RevokeOutcome {
  if (type === 'alreadyRevoked') return { status: 'already_revoked' };
  if (type === 'badRevocationReason') {
    return refused(`the CA refused the reason: ${message}; give another one, such as superseded`);
  }
  return refused(`the CA refused: ${message}; ${byItsKey}`);
}

function refused(message: string): RevokeOutcome {
  return { status: 'refused', message: readableText(message) };
}
