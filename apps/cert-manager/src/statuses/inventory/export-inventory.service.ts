import { csvLine } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { readableSpaces } from '../../access/permissions.js';
import { followPieces, type RunningExports } from '../../audit/export/running-exports.store.js';
import { leafEndOf } from '../../certificates/in-use.js';
import type { DbDeps } from '../../db-deps.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { chainStateOf } from '../renewal-owner.js';
import { type Authority, readAuthorities } from './authorities.service.js';
import { type InventoryLine, listInventoryLines } from './inventory.repository.js';

export interface ExportInventoryDeps extends DbDeps {
  readonly exports: RunningExports;
}

const linesAtOnce = 200;
// subjects of a kilobyte at most
const maxKnownAuthorities = 1000;

const titles = [
  'name',
  'space',
  'description',
  'renewed by',
  'issuer',
  'serial number',
  'key',
  'valid from',
  'expires',
  'chain',
  'intermediate',
  'intermediate expires',
  'source',
  'id',
];

/**
 * All names in spaces that the caller may read with their newest certificates, as comma-separated values. Throws
 * too_many_requests while another export of the caller's runs in this process.
 */
export function exportInventory(
  { db, exports }: ExportInventoryDeps,
  caller: Caller,
  { spaceId }: { readonly spaceId?: string | undefined },
): AsyncIterable<string> {
  const scope = readableSpaces(caller, spaceId);
  return followPieces(linesOf(db, scope), exports.begin(caller.userId));
}

async function* linesOf(db: DbDeps['db'], scope: SpaceScope): AsyncGenerator<string> {
  yield csvLine(titles);
  const known = new Map<string, Authority>();
  let last: InventoryLine | undefined;
  do {
    const rows = await db.longRead(async (tx) => {
      const found = await listInventoryLines(tx, scope, last, linesAtOnce);
      const unknown = found.flatMap(({ authoritySha256: sha256, leafSha256, certificateId }) =>
        sha256 === null || certificateId === null || sha256 === leafSha256 || known.has(sha256)
          ? []
          : ([[sha256, certificateId]] as const),
      );
      if (known.size > maxKnownAuthorities) known.clear();
      for (const [sha256, one] of await readAuthorities(tx, new Map(unknown))) known.set(sha256, one);
      return found;
    });
    if (rows.length > 0) yield rows.map((row) => csvLine(cellsOf(row, known))).join('');
    last = rows.length === linesAtOnce ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

function cellsOf(row: InventoryLine, known: ReadonlyMap<string, Authority>): readonly string[] {
  const named = [row.fqdn, row.spaceName, row.description, row.owner];
  if (row.certificateId === null) return [...named, '', '', '', '', '', '', '', '', '', row.id];
  const authority = known.get(row.authoritySha256 ?? '');
  return [
    ...named,
    row.issuer,
    row.serialNumber,
    row.keyKind ?? '',
    row.notBefore.toISOString(),
    leafEndOf(row).toISOString(),
    chainStateOf(row) ?? '',
    authority?.subject ?? '',
    authority?.expiresAt.toISOString() ?? '',
    row.source ?? '',
    row.id,
  ];
}
