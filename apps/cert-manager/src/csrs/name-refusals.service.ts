import type { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { canOn, readableSpaces } from '../access/permissions.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import { type FoundHolders, otherHolders } from '../fqdns/holders/held-name.js';
import { findHolders } from '../fqdns/holders/name-holders.repository.js';
import { nameRefusal, type PolicyRules } from '../fqdns/policy/issuance-policy.js';
import { policyRefused } from '../fqdns/policy/policy-refused.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import { storedNames } from './asked-names.js';
import type { CsrRow } from './csrs.repository.js';

/** The names that a caller asks for: that of the FQDN, and those of the CSR, where there is one. */
export interface AskedFor {
  readonly caller: Caller;
  readonly fqdn: Pick<FqdnRow, 'spaceId' | 'fqdn'>;
  readonly csr?: (Pick<CsrRow, 'csrPem' | 'description'> & Partial<Pick<CsrRow, 'namesJudged'>>) | undefined;
}

/** A name, and the field of the request that has it. */
interface PlacedName {
  readonly path: string;
  readonly name: string;
}

/**
 * Why callers may not have names that other spaces hold, in their order; undefined for what they may have. They may have
 * a name if they can read the space that holds it, or if their own space has a policy that allows the name; administrators
 * may have every name. A CSR that an earlier version stored is not refused.
 */
export async function findNameRefusals(
  tx: Tx,
  all: readonly AskedFor[],
): Promise<(InvalidInput | undefined)[]> {
  const judged = all.map((asked) => (isFree(asked) ? [] : placedNames(asked)));
  const names = judged.flat().map(({ name }) => name);
  if (names.length === 0) return all.map(() => undefined);
  const holders = await findHolders(tx, names);
  const refusals: (InvalidInput | undefined)[] = [];
  for (const [index, asked] of all.entries()) {
    refusals.push(await refusalOf(tx, asked, judged[index] ?? [], holders));
  }
  return refusals;
}

/** Throws InvalidInput if the caller may not have one of the names. */
export async function rejectHeldNames(tx: Tx, asked: AskedFor): Promise<void> {
  const [refusal] = await findNameRefusals(tx, [asked]);
  if (refusal !== undefined) throw refusal;
}

/** Whether no name is refused, even if another space holds it. */
function isFree({ caller, csr }: AskedFor): boolean {
  return caller.isAdmin || readableSpaces(caller) === 'all' || csr?.namesJudged === null;
}

function placedNames({ fqdn, csr }: AskedFor): PlacedName[] {
  const { commonNames = [], dnsNames = [] } = csr === undefined ? {} : storedNames(csr);
  return [
    { path: 'fqdn', name: fqdn.fqdn },
    ...commonNames.map((name) => ({ path: 'csr.subject', name })),
    ...dnsNames.map((name, index) => ({ path: `csr.dnsNames[${index}]`, name })),
  ];
}

const maxRefusals = 100;

async function refusalOf(
  tx: Tx,
  { caller, fqdn: { spaceId } }: AskedFor,
  names: readonly PlacedName[],
  holders: FoundHolders,
): Promise<InvalidInput | undefined> {
  const foreign = names.filter(({ name }) =>
    otherHolders(name, spaceId, holders).some((other) => !canOn(caller, other.spaceId, 'READ')),
  );
  if (foreign.length === 0) return undefined;
  const rules: PolicyRules = await findRules(tx, spaceId);
  const [first, ...others] = foreign
    .filter(({ name }) => !rules.grants(name))
    .map(({ path, name }) => nameRefusal(path, name, reserved));
  return first && policyRefused([first, ...others.slice(0, maxRefusals - 1)]);
}

const reserved =
  'it is reserved by an earlier certificate, and the space has no policy that allows it by name';
