import { AcmeProblem } from '@certloop/contracts';
import { callerOfClient, type FrontDeps, type FrontRequest, originOfRequest } from '../front-deps.service.js';
import { noteAccountUse } from './account-changes.repository.js';
import { admissionFault } from './client-admission.js';

const notedEveryMs = 60_000;

/**
 * Serves a signed request of an account, and notes who has used it: another program or address at once, the same one at most
 * once a minute. Throws `unauthorized`, audited, if its client has expired or was deleted, or if it comes from an address that
 * the client may not be used from.
 */
export async function admitAccount(deps: FrontDeps, request: FrontRequest): Promise<void> {
  const { account } = request;
  if (account === undefined) return;
  const { client, row } = account;
  const { userAgent, ipAddress } = originOfRequest(request);
  const now = deps.clock.now();
  const fault =
    client === undefined || row.status === 'ended' ? ended : admissionFault(client, ipAddress, now);
  if (fault !== undefined) {
    await recordRefusal(deps, request, fault);
    throw new AcmeProblem('unauthorized', fault, { kind: 'unauthenticated' });
  }
  const sinceMs = now.getTime() - row.seenAt.getTime();
  const isSame = row.userAgent === userAgent && row.ipAddress === ipAddress;
  if (isSame && sinceMs >= 0 && sinceMs < notedEveryMs) return;
  await deps.db.transaction((tx) => noteAccountUse(tx, row.id, { seenAt: now, userAgent, ipAddress }));
}

const ended = 'the ACME client of this account was deleted: register again with another key';

/** The same refusal is counted instead of written again within a minute. */
async function recordRefusal({ denials }: FrontDeps, request: FrontRequest, reason: string): Promise<void> {
  const { account, exchange } = request;
  if (account === undefined) return;
  const { clientId, spaceId } = account.row;
  const caller = callerOfClient(account.client ?? { id: clientId, name: 'deleted client' }, request);
  await denials.record(caller, {
    action: 'access.denied',
    resourceType: 'acme-client',
    resourceId: clientId,
    spaceId,
    subject: `${exchange.method} ${exchange.baseUrl}`,
    reason,
  });
}
