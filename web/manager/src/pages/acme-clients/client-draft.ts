import type { AcmeClient, AllowedNames } from '@certloop/contracts/browser';
import type { NameTexts } from '../../limits/name-lists.js';
import { entriesIn } from '../../limits/text-entries.js';

/** Values of the form of an ACME client; lists and numbers are text. */
export interface ClientDraft extends NameTexts {
  readonly name: string;
  readonly limitsNames: boolean;
  readonly wildcards: boolean;
  /** '' is that of the FQDN. */
  readonly providerId: string;
  readonly createFqdns: boolean;
  readonly mayTakeOver: boolean;
  readonly allowedCidrs: string;
  /** The day after its last one, such as 2027-01-31; '' is never. */
  readonly expires: string;
  readonly maxOrdersPerDay: string;
  readonly maxAccounts: string;
}

/** A client as it is, or a new one in a space whose policy allows these names; null is all of them. */
export function draftOfClient(client: AcmeClient | undefined, allowed: AllowedNames | null): ClientDraft {
  const { names = [], suffixes = [], cidrs = [], wildcards = false } = client?.names ?? {};
  return {
    name: client?.name ?? '',
    limitsNames: client === undefined ? allowed === null : client.names !== null,
    names: names.join('\n'),
    suffixes: suffixes.join('\n'),
    cidrs: cidrs.join('\n'),
    wildcards,
    providerId: client?.providerId ?? '',
    createFqdns: client?.createFqdns ?? true,
    mayTakeOver: client?.mayTakeOver ?? false,
    allowedCidrs: (client?.allowedCidrs ?? []).join('\n'),
    expires: dayOfEnd(client),
    maxOrdersPerDay: String(client?.maxOrdersPerDay ?? 300),
    maxAccounts: String(client?.maxAccounts ?? 100),
  };
}

const dayOfEnd = (client: AcmeClient | undefined) => client?.expiresAt?.slice(0, 10) ?? '';

/** The body by which a client is created or changed. */
export function clientOf(draft: ClientDraft, client?: AcmeClient) {
  const { wildcards, expires } = draft;
  const names = {
    names: entriesIn(draft.names),
    suffixes: entriesIn(draft.suffixes),
    wildcards,
    cidrs: entriesIn(draft.cidrs),
  };
  // a day that was not changed keeps its time
  const end = expires === dayOfEnd(client) ? client?.expiresAt : `${expires}T00:00:00.000Z`;
  return {
    name: draft.name.trim(),
    names: draft.limitsNames ? names : null,
    providerId: draft.providerId === '' ? null : draft.providerId,
    createFqdns: draft.createFqdns,
    mayTakeOver: draft.mayTakeOver,
    allowedCidrs: entriesIn(draft.allowedCidrs),
    expiresAt: expires === '' ? null : (end ?? null),
    maxOrdersPerDay: Number(draft.maxOrdersPerDay),
    maxAccounts: Number(draft.maxAccounts),
  };
}
