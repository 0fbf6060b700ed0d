import type { AcmeClient, ClientUse } from '@certloop/contracts';
import type { AcmeClientRow } from './acme-client.js';
import { clientState } from './client-use.js';

/** An ACME client with what is shown of it. */
export interface ShownClient {
  readonly row: AcmeClientRow;
  /** Undefined until an account was registered with its key. */
  readonly use: ClientUse | undefined;
}

/** A client as the API shows it, without its key. */
export function acmeClientView(
  { row, use }: ShownClient,
  { directoryUrl, now }: { readonly directoryUrl: string; readonly now: Date },
): AcmeClient {
  return {
    id: row.id,
    spaceId: row.spaceId,
    name: row.name,
    kid: row.kid,
    directoryUrl,
    state: clientState(row, use, now),
    names: row.names,
    providerId: row.providerId,
    createFqdns: row.createFqdns,
    mayTakeOver: row.mayTakeOver,
    allowedCidrs: [...row.allowedCidrs],
    expiresAt: row.expiresAt?.toISOString() ?? null,
    maxOrdersPerDay: row.maxOrdersPerDay,
    maxAccounts: row.maxAccounts,
    createdBy: { userId: row.createdById, username: row.createdByName },
    createdAt: row.createdAt.toISOString(),
    changedAt: row.changedAt.toISOString(),
    keyChangedAt: row.keyChangedAt.toISOString(),
    ...(use !== undefined && { use }),
  };
}
