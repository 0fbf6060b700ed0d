import type { NewlyRefused } from '@certloop/contracts';
import { type Database, yieldBetween } from '@certloop/db';
import { refusalsOf } from '../csrs/issuance-refusals.service.js';
import type { PolicyRefusal, PolicyRules } from '../fqdns/policy/issuance-policy.js';
import { listProviders } from '../providers/providers.repository.js';
import { type ScannedFqdn, scanFqdns } from './policy-scan.repository.js';

/** FQDNs that pass by one policy and not by the other: how many, and the first of them by name. */
export interface RefusedFqdns {
  readonly count: number;
  readonly items: readonly NewlyRefused[];
}

// a CSR and its description may have 200 KB and thousands of names: others get their turn after each FQDN
const slice = 25;
const maxItems = 100;

/**
 * The FQDNs of the space that `before` allows and `after` refuses: by their names, their newest CSRs, the providers
 * that they name, and those of their certificates in use. Read in slices, so what is added in the meantime may be missed.
 */
export async function findNewlyRefused(
  db: Database,
  spaceId: string,
  { before, after }: { readonly before: PolicyRules; readonly after: PolicyRules },
): Promise<RefusedFqdns> {
  if (after.isOpen) return { count: 0, items: [] };
  const names = await db.read(
    async (tx) => new Map((await listProviders(tx)).map(({ id, name }) => [id, name])),
  );
  const items: NewlyRefused[] = [];
  let count = 0;
  let last = '';
  for await (const _round of yieldBetween()) {
    const rows = await db.read((tx) => scanFqdns(tx, { spaceId, last, limit: slice }));
    for await (const row of yieldBetween(rows)) {
      const refused = firstRefusal(after, row, names);
      if (refused === undefined || firstRefusal(before, row, names) !== undefined) continue;
      count += 1;
      if (items.length < maxItems) items.push(refused);
    }
    if (rows.length < slice) break;
    last = rows.at(-1)?.fqdn ?? '';
  }
  return { count, items };
}

function firstRefusal(
  rules: PolicyRules,
  row: ScannedFqdn,
  names: ReadonlyMap<string, string>,
): NewlyRefused | undefined {
  const csr = csrOf(row);
  const [refusal] = [
    ...refusalsOf(rules, { fqdn: row, csr }),
    ...[row.providerId, row.issuedBy].flatMap((id) =>
      id === null ? [] : (rules.refusalOfProvider({ id, name: names.get(id) ?? id }) ?? []),
    ),
  ];
  return refusal && { fqdnId: row.id, fqdn: row.fqdn, subject: subjectOf(refusal), ...shown(refusal) };
}

/** The newest CSR of a scanned FQDN, if it has one. */
export function csrOf({ csrPem, description }: ScannedFqdn) {
  return csrPem === null || description === null ? undefined : { csrPem, description };
}

function subjectOf({ code, path }: PolicyRefusal): NewlyRefused['subject'] {
  if (code === 'provider_not_allowed') return 'provider';
  return path === 'fqdn' ? 'fqdn' : 'csr';
}

function shown({ name, code, message }: PolicyRefusal) {
  return { name, code, message };
}
