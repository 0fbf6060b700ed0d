import { placeholders, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import { type IssuanceRow, issuances } from '../signing/issuances.repository.js';
import { createFairTurns } from './fair-turns.js';

/** Of a failed job: that no other issuance of its FQDN keeps it from running again, as `claimIssuance` decides. */
const isFree = `not exists (select 1 from issuances other where other.fqdn_id = issuances.fqdn_id
    and other.state = 'running')
  and not exists (select 1 from issuances other where other.fqdn_id = issuances.fqdn_id
    and other.is_order and other.cause not in ('renewal', 'client') and other.state in ('queued', 'running', 'waiting'))`;

/** Columns that are needed to take up an issuance. */
export type DueIssuance = Pick<IssuanceRow, 'id' | 'providerId' | 'spaceId' | 'clientId'>;

/** Which due jobs are listed, and how many at most. */
export interface DueScope {
  /** The only provider. */
  readonly only?: string | undefined;
  readonly except: readonly string[];
  readonly limit: number;
}

/** That the take-up works on an issuance: renewals by providers with orders are left to the queue, unless their FQDN was deleted. */
const isTakenUp = `(not is_order or cause <> 'renewal'
  or not exists (select 1 from fqdns where fqdns.id = issuances.fqdn_id))`;

/**
 * Issuances that no one works on, whose worker is silent, or whose CA is to be asked again. Those that have been due for the
 * longest time come first. If more are due, half of the list are queued ones: each space has its turn, and in it each ACME
 * client; all other requests of a space count as one client.
 */
export async function listDueIssuances(tx: Tx, now: Date, scope: DueScope): Promise<DueIssuance[]> {
  const { only, except, limit } = scope;
  const values = [...(only === undefined ? [] : [only]), ...except];
  const others = placeholders(except.length, 2 + values.length - except.length);
  const ofOthers = except.length === 0 ? '' : `and provider_id not in (${others})`;
  const providers = { condition: `${only === undefined ? '' : 'and provider_id = $2'} ${ofOthers}`, values };
  const due = await listByMoment(tx, now, providers, { states: ['running', 'queued', 'unknown'], limit });
  if (due.length < limit) return due;
  const queued = await listQueuedInTurn(tx, now, providers, limit);
  const interrupted = await listByMoment(tx, now, providers, { states: ['running', 'unknown'], limit });
  const half = Math.floor(limit / 2);
  return [...interrupted.slice(0, half), ...queued, ...interrupted.slice(half)].slice(0, limit);
}

/** Due issuances in the states, those first that have been due for the longest time. */
function listByMoment(
  tx: Tx,
  now: Date,
  { condition, values }: ListedProviders,
  {
    states,
    limit,
  }: { readonly states: readonly ('running' | 'queued' | 'unknown')[]; readonly limit: number },
): Promise<DueIssuance[]> {
  const names = 'id, provider_id, space_id, client_id';
  const listed = (state: string, moment: string, more = '') =>
    `select * from (select ${names}, ${moment} as due_at from issuances
      where ${isTakenUp} and state = '${state}' and ${moment} <= $1 ${condition} ${more}
      order by ${moment} limit ${limit}) listed`;
  const lists = {
    running: listed('running', 'lease_until'),
    queued: listed('queued', 'next_at'),
    unknown: listed('unknown', 'next_at', `and (not is_order or cause = 'client' or ${isFree})`),
  };
  const text = `select ${names} from (${states.map((state) => lists[state]).join(' union all ')}) due
    order by due_at limit ${limit}`;
  return querySql<DueIssuance>(tx, { id, providerId, spaceId, clientId }, text, [now, ...values]);
}

const { id, providerId, spaceId, clientId, nextAt } = issuances.columns;
const groupColumns = { providerId, spaceId, clientId, nextAt };

/** Queued issuances of a provider, a space and an ACME client; all other requests of the space have none. */
type Group = RowOf<{ columns: typeof groupColumns }>;

/** Condition of the providers whose issuances are listed, with its values. */
interface ListedProviders {
  /** SQL that begins with `and`, or is empty; its first value is `$2`. */
  readonly condition: string;
  readonly values: readonly SqlValue[];
}

/**
 * Queued issuances that are due, where more are due than are listed: each space has its turn, and in it each client, and of a
 * client those come first that have been due for the longest time.
 */
async function listQueuedInTurn(
  tx: Tx,
  now: Date,
  { condition, values }: ListedProviders,
  limit: number,
): Promise<DueIssuance[]> {
  const text = `select provider_id, space_id, client_id, min(next_at) as next_at from issuances
    where state = 'queued' and next_at <= $1 ${condition}
    group by provider_id, space_id, client_id order by next_at`;
  const groups = inTurn(await querySql<Group>(tx, groupColumns, text, [now, ...values]), limit);
  const spaces = new Set(groups.map((group) => group.spaceId)).size;
  const share = Math.ceil(limit / Math.max(spaces, 1));
  const rows = inTurn(await listOfGroups(tx, now, groups, share), limit);
  // some have fewer than their share, and others more
  return rows.length < limit ? inTurn(await listOfGroups(tx, now, groups, limit), limit) : rows;
}

/** The first ones, each space in its turn, and in it each client. */
function inTurn<Row extends Pick<Group, 'spaceId' | 'clientId'>>(rows: readonly Row[], limit: number): Row[] {
  const turns = createFairTurns<Row>();
  for (const row of rows) turns.add(row, row);
  const first: Row[] = [];
  for (let next = turns.next(); next !== undefined && first.length < limit; next = turns.next())
    first.push(next);
  return first;
}

async function listOfGroups(
  tx: Tx,
  now: Date,
  groups: readonly Group[],
  limit: number,
): Promise<DueIssuance[]> {
  const rows: DueIssuance[] = [];
  for (const group of groups) rows.push(...(await listOfGroup(tx, now, group, limit)));
  return rows;
}

function listOfGroup(tx: Tx, now: Date, group: Group, limit: number): Promise<DueIssuance[]> {
  const ofClient = group.clientId === null ? 'client_id is null' : 'client_id = $4';
  const text = `select id, provider_id, space_id, client_id from issuances
    where state = 'queued' and next_at <= $1 and provider_id = $2 and space_id = $3 and ${ofClient}
      and ${isTakenUp}
    order by next_at limit ${limit}`;
  const values = [now, group.providerId, group.spaceId, ...(group.clientId === null ? [] : [group.clientId])];
  return querySql<DueIssuance>(tx, { id, providerId, spaceId, clientId }, text, values);
}
