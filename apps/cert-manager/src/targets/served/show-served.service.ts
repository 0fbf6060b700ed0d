import type { ServedClass } from '@certloop/contracts';
import { type Database, type ListPage, type ListWindow, readList, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { readableSpaces, requireLevel } from '../../access/permissions.js';
import { leafEndOf } from '../../certificates/in-use.js';
import { getFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import { listStates } from '../probes/target-states.repository.js';
import { listTargetsOf } from '../targets.repository.js';
import { findNewest } from './expected.service.js';
import { readServedPage, type ServedFqdnRow } from './served-fqdns.repository.js';
import type { ServedPart } from './served-view.js';

/** Returns what each address of the targets of an FQDN serves, and what it should serve. Throws NotFound. */
export async function showServed(
  { db }: { readonly db: Database },
  caller: Caller,
  path: FqdnPlace,
): Promise<ServedPart> {
  requireLevel(caller, path.spaceId, 'READ');
  return db.read((tx) => readServed(tx, path));
}

/** The same in a transaction. */
export async function readServed(tx: Tx, { spaceId, fqdnId }: FqdnPlace): Promise<ServedPart> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const newest = await findNewest(tx, fqdnId);
  const targets = await listTargetsOf(tx, fqdnId);
  const states = await listStates(tx, targets);
  return {
    fqdn,
    newest: newest && {
      certificateId: newest.row.id,
      serialNumber: newest.row.serialNumber,
      fingerprint: newest.fingerprint,
      notAfter: leafEndOf(newest.row),
      issuedAt: newest.row.createdAt,
    },
    targets: targets.map((target) => ({
      target,
      states: states.filter(({ targetId }) => targetId === target.id),
    })),
  };
}

export interface ServedFilter {
  readonly class?: ServedClass | undefined;
  readonly spaceId?: string | undefined;
  readonly window: ListWindow;
}

/** FQDNs that have targets in the spaces that the caller may read, by the moment of their first target. */
export async function listServed(
  { db }: { readonly db: Database },
  caller: Caller,
  { class: only, spaceId, window }: ServedFilter,
): Promise<ListPage<ServedFqdnRow>> {
  const scope = readableSpaces(caller, spaceId);
  if (scope !== 'all' && scope.length === 0) return { rows: [], total: 0, next: undefined };
  return readList(db, window, (tx, part) => readServedPage(tx, scope, only, part));
}
