import { type BodyOf, type certManagerContract, scalars } from '@certloop/contracts';
import { type ListPage, type ListWindow, newRowId, readList, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { canOn, requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { normalHostname } from '../judging/hostname.js';
import { changeSpaceSize } from '../spaces/space-sizes.repository.js';
import { lockSpacesForShare, spaceExists } from '../spaces/spaces.repository.js';
import { namedProvider, requireFqdnAllowed } from './fqdn-provider.service.js';
import { countFqdnRows, type FqdnRow, insertFqdn, readFqdnPage } from './fqdns.repository.js';
import { labelsView, normalTags } from './labels.js';
import { isPolicyRefused } from './policy/policy-refused.js';

export interface ChangeFqdnDeps extends DbDeps {
  readonly emit: FqdnEvents;
}

/** Events of FQDNs; `changes/reactions.service.ts` lists what follows each of them. The FQDNs are locked. */
export interface FqdnEvents {
  fqdnCreated(tx: Tx, event: { readonly fqdn: FqdnRow }): Promise<void>;
  /** The FQDNs have another description, owner or tags. */
  descriptionChanged(tx: Tx, event: FqdnEvent<FqdnRow>): Promise<void>;
  /** The FQDNs, as they are now, have another provider, or none. */
  providerChanged(tx: Tx, event: ByCaller & Changes<{ readonly fqdn: FqdnRow }>): Promise<void>;
  /** The renewal of the FQDNs was switched on or off, or they have another share of the lifetime. */
  renewalSwitched(tx: Tx, event: ByCaller & Changes<SwitchedFqdn>): Promise<void>;
  /** The FQDNs in the scope were deleted. */
  fqdnDeleted(tx: Tx, event: { readonly scope: DeletedScope }): Promise<void>;
}

/** An FQDN as it is now, and whether its renewal was on before. */
export interface SwitchedFqdn {
  readonly fqdn: FqdnRow;
  readonly wasEnabled: boolean;
}

export type DeletedScope = { readonly fqdnId: string } | { readonly spaceId: string } | 'all';

interface ByCaller {
  readonly caller: Caller;
}

/** Changes of one kind in one transaction; each FQDN comes once. */
export interface Changes<Change> {
  readonly changes: readonly Change[];
}

/** An event about one FQDN or several. */
export type FqdnEvent<Fqdn> = { readonly fqdn: Fqdn } | Changes<{ readonly fqdn: Fqdn }>;

/** Returns the FQDNs that the event is about. */
export function fqdnsOf<Fqdn>(event: FqdnEvent<Fqdn>): readonly Fqdn[] {
  return 'fqdn' in event ? [event.fqdn] : event.changes.map(({ fqdn }) => fqdn);
}

export type NewFqdn = BodyOf<typeof certManagerContract.createFqdn> & { readonly spaceId: string };

/** An FQDN by the id of its space and its own. */
export interface FqdnPlace {
  readonly spaceId: string;
  readonly fqdnId: string;
}

/**
 * Adds an FQDN to a space, in its normal form; `warning` names a provider that is disabled. Throws
 * NotFound, Forbidden, InvalidInput for anything that is not a host name, an unknown provider, or a name or provider that the
 * policy of the space does not allow, which is audited, and Conflict when the space has it already.
 */
export async function createFqdn(
  { db, clock, emit }: ChangeFqdnDeps,
  caller: Caller,
  input: NewFqdn,
): Promise<{ readonly fqdn: FqdnRow; readonly warning: string | undefined }> {
  const { spaceId, providerId = null, description = '', owner = null, tags = [] } = input;
  requireLevel(caller, spaceId, 'READ_WRITE');
  const hostname = normalHostname(input.fqdn);
  const place = { spaceId, hostname };
  const settings = { providerId, description, owner, tags: normalTags(tags) };
  const fqdn = newFqdnRow({ ...place, ...settings }, clock.now());
  return recordRefusedFqdn({ db, clock }, caller, place, () =>
    db.transaction(async (tx) => {
      // locked: a concurrent change of the policy either is visible here or sees the new FQDN
      if ((await lockSpacesForShare(tx, [spaceId])).length === 0) throw spaceNotFound();
      const provider = await namedProvider(tx, providerId);
      await requireFqdnAllowed(tx, fqdn, provider);
      const warning = provider?.enabled === false ? 'the provider is disabled' : undefined;
      await addFqdn(tx, emit, caller, fqdn);
      return { fqdn, warning };
    }),
  );
}

/** A new FQDN, with renewal off. */
export function newFqdnRow(
  { spaceId, hostname, ...settings }: NewFqdnPlace & Partial<FqdnSettings>,
  now: Date,
): FqdnRow {
  return {
    id: newRowId(now),
    spaceId,
    fqdn: hostname,
    description: '',
    providerId: null,
    owner: null,
    tags: null,
    ...settings,
    renewalEnabled: false,
    renewAfterPermille: null,
    expiryAcceptedUntil: null,
    createdAt: now,
  };
}

/** A name in its normal form, and the space that is to have it. */
interface NewFqdnPlace {
  readonly spaceId: string;
  readonly hostname: string;
}

type FqdnSettings = Pick<FqdnRow, 'providerId' | 'description' | 'owner' | 'tags'>;

/** Adds an FQDN to its space, which is locked, with its audit entry. Throws Conflict when the space has it already. */
export async function addFqdn(tx: Tx, emit: FqdnEvents, caller: Caller, fqdn: FqdnRow): Promise<void> {
  const { spaceId, description, providerId, createdAt } = fqdn;
  await insertFqdn(tx, fqdn);
  await emit.fqdnCreated(tx, { fqdn });
  const after = { description, providerId, renewalEnabled: false, ...labelsView(fqdn) };
  await recordAudit(tx, caller, fqdnAudit('fqdn.create', fqdn, { after }), createdAt);
  await changeSpaceSize(tx, spaceId, 1);
}

/** Adds an FQDN by the work; records in the audit log if the policy of the space refuses it. */
export async function recordRefusedFqdn<T>(
  { db, clock }: DbDeps,
  caller: Caller,
  { spaceId, hostname }: NewFqdnPlace,
  work: () => Promise<T>,
): Promise<T> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  try {
    return await work();
  } catch (error) {
    if (!isPolicyRefused(error)) throw error;
    const { code, message: reason } = error;
    const resource = { resourceType: 'fqdn', spaceId, details: { fqdn: hostname, code, reason } };
    const entry = { action: 'fqdn.create', outcome: 'failure', ...resource } as const;
    await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
    throw error;
  }
}

/** FQDNs of a space, oldest first. Throws NotFound. */
export async function listFqdns(
  { db }: Pick<DbDeps, 'db'>,
  caller: Caller,
  { spaceId, window }: { readonly spaceId: string; readonly window: ListWindow },
): Promise<ListPage<FqdnRow>> {
  requireLevel(caller, spaceId, 'READ');
  return readList(db, window, async (tx, part) => {
    const page = await readFqdnPage(tx, spaceId, part);
    if (page.rows.length === 0) await requireSpace(tx, spaceId);
    return page;
  });
}

/** Number of FQDNs in the space; 0 if the caller may not read a space of that name. */
export async function countFqdns({ db }: DbDeps, caller: Caller, text: string): Promise<number> {
  const spaceId = readableSpaceId(caller, text);
  return spaceId === undefined ? 0 : db.read((tx) => countFqdnRows(tx, [spaceId]));
}

async function requireSpace(tx: Tx, spaceId: string): Promise<void> {
  if (!(await spaceExists(tx, spaceId))) throw spaceNotFound();
}

/** Id of the space that the text names, if the caller may read it. */
export function readableSpaceId(caller: Caller, text: string): string | undefined {
  const id = scalars.uuid.safeParse(text);
  return id.success && canOn(caller, id.data, 'READ') ? id.data : undefined;
}

type FqdnAction = 'fqdn.create' | 'fqdn.delete' | 'fqdn.expiry' | 'fqdn.renewal' | 'fqdn.update';

/** Audit entry of a successful act on one FQDN. */
export function fqdnAudit(
  action: FqdnAction,
  { id, spaceId, fqdn }: FqdnRow,
  details: Readonly<Record<string, unknown>>,
) {
  return {
    action,
    resourceType: 'fqdn',
    resourceId: id,
    spaceId,
    details: { fqdn, ...details },
  } as const;
}
