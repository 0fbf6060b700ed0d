import { isDeepStrictEqual } from 'node:util';
import { AppError, type Fqdn, type FqdnChange, NotFound } from '@certloop/contracts';
import { repeat } from '../../connection/repeat.js';
import type { Manager, Session } from '../../connection/session.js';
import { listFqdnsIn } from '../../lookup.js';

/** A change of many FQDNs by one command line. */
export interface ManyFqdns {
  /** Host names, in which `*` stands for any text, or ids. */
  readonly patterns: readonly string[];
  readonly space: string | undefined;
  readonly change: Pick<FqdnChange, 'action' | 'providerId' | 'owner' | 'tags'>;
  /** Changed members of an FQDN, as the service shows them. */
  readonly after: (fqdn: Fqdn) => Partial<Fqdn>;
  /** State once it is changed, such as `on`. */
  readonly result: string;
  readonly dryRun: true | undefined;
  /** Asks before these FQDNs are changed; throws UsageError after no. */
  readonly confirm?: (changing: readonly Fqdn[]) => Promise<void>;
}

/** The service lists the first 100 that it skips, so that a call with as many names the reason of each. */
const idsPerCall = 100;

/**
 * Changes those that are not so yet, 100 in each call, and prints what happened to each. All that the service skips are
 * named with the reason; throws Error with their number. After a call that failed, the rest is not tried.
 */
export async function changeManyFqdns(session: Session, wanted: ManyFqdns): Promise<void> {
  const { report, manager } = session;
  const found = matching(
    await listFqdnsIn(manager, wanted.space, { q: commonText(wanted.patterns) }),
    wanted.patterns,
  );
  const isSo = (fqdn: Fqdn) =>
    Object.entries(wanted.after(fqdn)).every(([name, value]) =>
      isDeepStrictEqual(fqdn[name as keyof Fqdn], value),
    );
  const changing = found.filter((fqdn) => !isSo(fqdn));
  if (wanted.dryRun !== true && changing.length > 0) await wanted.confirm?.(changing);
  const { reasons, changed } = await send(session, manager, changing, wanted);
  const isChanging = new Set(changing);
  const outcomes = found.map((fqdn) => {
    const message = reasons.get(fqdn.id) ?? '';
    if (!isChanging.has(fqdn)) return { ...fqdn, result: 'unchanged', message };
    if (message !== '') return { ...fqdn, result: 'failed', message };
    if (wanted.dryRun === true) return { ...fqdn, result: `would be ${wanted.result}`, message };
    return { ...fqdn, ...wanted.after(fqdn), result: wanted.result, message };
  });
  report.list(outcomes, ({ fqdn, space, result, message }) => ({ fqdn, space, result, message }));
  for (const { fqdn, result, message } of outcomes)
    if (result === 'failed') report.warn(`${fqdn}: ${message}`);
  if (reasons.size > 0) throw new Error(`${reasons.size} of ${changing.length} failed`);
  if (changed === 0) session.unchanged();
}

/** How many were changed, and by id why the others were not. */
async function send(
  { io, report, progress }: Session,
  manager: Manager,
  fqdns: readonly Fqdn[],
  { change, dryRun }: Pick<ManyFqdns, 'change' | 'dryRun'>,
): Promise<{ readonly changed: number; readonly reasons: ReadonlyMap<string, string> }> {
  const reasons = new Map<string, string>();
  let changed = 0;
  const tryAgain = (error: Error) => report.warn(`${error.message}; trying again`);
  const sendSome = async (ids: readonly string[]) => {
    const body = { ...change, ids: [...ids], dryRun: dryRun === true };
    const { body: outcome } = await repeat(io, () => manager.changeFqdns({ body }), { failed: tryAgain });
    changed += outcome.changed;
    for (const { id, reason } of outcome.skipped) reasons.set(id, reason);
  };
  await progress(fqdns.length, async (step) => {
    for (let start = 0; start < fqdns.length; start += idsPerCall) {
      const ids = fqdns.slice(start, start + idsPerCall).map(({ id }) => id);
      step('FQDNs', ids.length);
      try {
        await sendSome(ids);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        for (const id of ids) reasons.set(id, error.message);
        for (const { id } of fqdns.slice(start + idsPerCall)) reasons.set(id, 'not tried after this failure');
        return;
      }
    }
  });
  return { changed, reasons };
}

/** Text that all matching names contain, for the search of the service; undefined if there is none. */
function commonText([pattern = '', ...others]: readonly string[]): string | undefined {
  // ids contain no dot
  if (others.length > 0 || !/[.*]/.test(pattern)) return undefined;
  const [text = ''] = pattern
    .toLowerCase()
    .split('*')
    .sort((a, b) => b.length - a.length);
  return text === '' || text.length > maxSearch ? undefined : text;
}

// the longest text that the service searches for
const maxSearch = 253;

/** FQDNs that one of the patterns names, in which * stands for any text; a pattern without one names exactly. */
function matching<T extends { readonly fqdn: string; readonly id: string }>(
  fqdns: readonly T[],
  patterns: readonly string[],
): T[] {
  const chosen = new Set<T>();
  for (const pattern of patterns) {
    const parts = pattern
      .toLowerCase()
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
    const expression = new RegExp(`^${parts.join('.*')}$`);
    const found = fqdns.filter(({ fqdn, id }) => id === pattern || expression.test(fqdn));
    if (found.length === 0)
      throw new NotFound(`no FQDN matches ${pattern}; certloop fqdns lists those that you may see`);
    for (const each of found) chosen.add(each);
  }
  return [...chosen];
}
