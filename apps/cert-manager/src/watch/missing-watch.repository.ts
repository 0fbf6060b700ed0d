import { column, executeSql, querySql, type Tx } from '@certloop/db';
import { isNewest } from '../certificates/in-use.js';
import { outOfUseBefore } from './watch-mode.js';
import { servedFault, type WaitingMode } from './watched-fqdns.repository.js';

/** FQDNs whose ids lie between these, both included. */
export interface IdRange {
  readonly first: string;
  readonly last: string;
}

export type MissingScope = IdRange | { readonly spaceId: string };

/** SQL of the FQDNs in the scope that are to have a check by their mode (watchModeOf). */
function wantedIn(scope: MissingScope, mode: WaitingMode, now: Date) {
  const place = 'spaceId' in scope ? 'f.space_id = $1' : 'f.id >= $1 and f.id <= $2';
  const values = 'spaceId' in scope ? [scope.spaceId] : [scope.first, scope.last];
  const [at, end] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const renews = `exists (select 1 from fqdn_standings t where t.id = f.id and t.lineages is not null)`;
  const isGone = `exists (select 1 from fqdn_standings t where t.id = f.id and t.client = 'gone')`;
  const renewal = `((f.renewal_enabled = true and not ${isGone}) or (${renews}
    and (f.renewal_enabled = true or f.expiry_accepted_until is null or f.expiry_accepted_until <= ${at})))`;
  const expiry = `(f.renewal_enabled = false or ${isGone})
    and (f.expiry_accepted_until is null or f.expiry_accepted_until <= ${at})
    and (exists (select 1 from certificates c where c.fqdn_id = f.id and c.${isNewest} and c.expires_at >= ${end})
      or (exists (select 1 from targets t where t.fqdn_id = f.id and t.adopt = true and t.enabled = true)
        and not exists (select 1 from certificates c where c.fqdn_id = f.id and c.${isNewest})))`;
  const isRenewal = mode === 'renewal';
  return {
    text: `from fqdns f join spaces s on s.id = f.space_id
      where ${place} and ${isRenewal ? renewal : expiry} and s.unwatched_since is null`,
    values: isRenewal ? [...values, now] : [...values, now, outOfUseBefore(now)],
  };
}

/** Whether some FQDN in the range is to be watched in that mode and is not yet. */
export async function lacksWatch(tx: Tx, range: IdRange, mode: WaitingMode, now: Date): Promise<boolean> {
  const { text, values } = wantedIn(range, mode, now);
  // the range is named twice, so that neither database reads what lies beyond it
  const watched = 'select 1 from watched_fqdns w where w.id = f.id and w.id >= $1 and w.id <= $2';
  const query = `select f.id ${text} and not exists (${watched}) limit 1`;
  return (await querySql(tx, { id: column.uuid() }, query, values)).length > 0;
}

/** Begins to watch those that are not watched yet, from `dueAt` on; how many there were. */
export function watchMissing(
  tx: Tx,
  scope: MissingScope,
  { mode, now, dueAt }: { readonly mode: WaitingMode; readonly now: Date; readonly dueAt: Date },
): Promise<number> {
  const { text, values } = wantedIn(scope, mode, now);
  return executeSql(
    tx,
    `insert into watched_fqdns (id, space_id, version, due_at, attempts, served_fault)
     select f.id, f.space_id, 0, $${values.length + 1}, 0, ${servedFault('f.id')} ${text} on conflict (id) do nothing`,
    [...values, dueAt],
  );
}

/** FQDNs after `last`, of all spaces and modes: the first and the last of at most `limit`, and how many they are. */
export async function findIdSlice(
  tx: Tx,
  last: string,
  limit: number,
): Promise<{ readonly first: string; readonly last: string; readonly count: number } | undefined> {
  const after = last === '' ? '' : 'where id > $1 ';
  const text = `select id from fqdns ${after}order by id limit ${limit}`;
  const rows = await querySql(tx, { id: column.uuid() }, text, last === '' ? [] : [last]);
  const [first, end] = [rows.at(0), rows.at(-1)];
  return first && end && { first: first.id, last: end.id, count: rows.length };
}

/** How many checks wait for room in the monitor, by mode; up to 100,000. */
export async function countWaitingChecks(tx: Tx): Promise<Readonly<Record<WaitingMode, number>>> {
  const text = `select waiting, count(*) as count
    from (select waiting from watched_fqdns where waiting is not null limit 100000) w group by waiting`;
  const columns = { waiting: column.word<WaitingMode>(8), count: column.bigint() };
  const rows = await querySql<{ waiting: WaitingMode; count: number }>(tx, columns, text);
  const countOf = (mode: WaitingMode) => rows.find(({ waiting }) => waiting === mode)?.count ?? 0;
  return { renewal: countOf('renewal'), expiry: countOf('expiry') };
}
