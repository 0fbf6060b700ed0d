import type { WatchedServer } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Manager, Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findSpace } from '../../lookup.js';
import { hereGuard } from './probe.js';
import { waitingOut } from './waiting-out.js';
import { lookFromHere } from './watch-from-here.js';
import { readWatchList, type WatchListOptions } from './watch-list.js';

interface WatchOptions extends WatchListOptions {
  readonly space?: string;
  readonly fromHere?: true;
}

/** Adds `watch`. */
export function addWatch(program: Command, open: () => Session, ended: (code: number) => void): void {
  program
    .command('watch [servers...]')
    .description(
      'Watch which certificates servers, HOST[:PORT][/PROTOCOL], present; exit code 1 if one is not watched or not reached',
    )
    .option('-s, --space <space>', 'space of the FQDNs, by name or id; default: your only space')
    .option('--file <list>', 'list with a server a line, and perhaps its FQDN; # begins a comment')
    .option('--name <fqdn>', 'FQDN of the certificate, if it is not the host')
    .option(
      '--from-here',
      'look from this machine and report the results, for servers that cert-manager cannot reach',
    )
    .action(async (servers, options) => {
      const session = open();
      const watched = await watchAll(session, servers, options);
      showWatched(session, watched);
      if (watched.some(isAmiss)) ended(1);
      else if (watched.every((one) => !one.isNewTarget && !one.isNewCertificate)) session.unchanged();
    });
}

async function watchAll(
  session: Session,
  places: readonly string[],
  { space, fromHere, ...list }: WatchOptions,
): Promise<WatchedServer[]> {
  const servers = await readWatchList(session, places, list);
  const { id: spaceId } = await chooseSpace(session.manager, space);
  const inputs = servers.map(({ line: _, ...server }) => ({
    ...server,
    ...(fromHere === true && { mode: 'report' as const }),
  }));
  const steps = fromHere === true ? 2 * inputs.length : inputs.length;
  return session.progress(steps, async (step) => {
    const watched: WatchedServer[] = [];
    for (let start = 0; start < inputs.length; start += maxAtOnce) {
      const some = inputs.slice(start, start + maxAtOnce);
      step(some[0]?.host ?? '', some.length);
      watched.push(...(await sendServers(session, spaceId, some)));
    }
    return fromHere === true ? lookFromHere(session, { spaceId, watched, guard: hereGuard, step }) : watched;
  });
}

const maxAtOnce = 100;
// what there was no time for is asked for again, which adds nothing
const maxRounds = 3;

type ServerInput = NonNullable<Parameters<Manager['watchServers']>[0]>['body']['servers'][number];

/** At most 100 servers; those that there was no time to look at are sent again. */
async function sendServers(
  session: Session,
  spaceId: string,
  servers: readonly ServerInput[],
): Promise<WatchedServer[]> {
  const send = async (some: readonly ServerInput[]) =>
    (
      await waitingOut(session, () =>
        session.manager.watchServers({ params: { spaceId }, body: { servers: [...some] } }),
      )
    ).body.servers;
  const results = await send(servers);
  for (let round = 1; round < maxRounds; round += 1) {
    const open = results.flatMap(({ pending }, index) => (pending === true ? [index] : []));
    if (open.length === 0) break;
    const again = await send(open.flatMap((index) => servers[index] ?? []));
    for (const [place, index] of open.entries()) {
      const [before, after] = [results[index], again[place]];
      if (before !== undefined && after !== undefined)
        results[index] = { ...after, ...additionsOf(before, after) };
    }
  }
  return results;
}

/** Returns what either of two calls added. */
const additionsOf = (one: WatchedServer, other: WatchedServer) => ({
  isNewFqdn: one.isNewFqdn || other.isNewFqdn,
  isNewTarget: one.isNewTarget || other.isNewTarget,
  isNewCertificate: one.isNewCertificate || other.isNewCertificate,
});

/** The space of that name or id, or the only one that may be read. Throws UsageError otherwise. */
async function chooseSpace(manager: Manager, named: string | undefined): Promise<{ readonly id: string }> {
  if (named !== undefined) return findSpace(manager, named);
  const { body } = await manager.listSpaces();
  const [only, ...others] = body;
  if (only === undefined)
    throw new UsageError('there is no space yet: create one with certloop spaces create NAME');
  if (others.length === 0) return only;
  const names = body.slice(0, 10).map(({ name }) => name);
  throw new UsageError(
    `choose the space with --space, or set a default with certloop contexts; you may read ${names.join(', ')}${body.length > names.length ? ' and others' : ''}`,
  );
}

/** Whether a server is not watched, or was not reached. */
const isAmiss = ({ refusal, failure }: WatchedServer) => refusal !== undefined || failure !== undefined;

function showWatched({ report }: Session, watched: readonly WatchedServer[]): void {
  report.list(
    watched,
    (one) => ({
      fqdn: one.fqdn ?? '',
      target: placeOf(one),
      result: resultOf(one),
      ends: one.served?.notAfter.slice(0, 10),
      issuer: one.served?.issuer,
      chain: one.served && (one.served.verified ? 'complete' : 'incomplete'),
    }),
    { wide: ['chain'] },
  );
  for (const one of watched) for (const hint of hintsOf(one)) report.warn(hint);
}

const placeOf = ({ host, port, protocol }: WatchedServer) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${protocol === 'tls' ? '' : `/${protocol}`}`;

function resultOf({ refusal, failure, pending, served, isNewTarget }: WatchedServer): string {
  if (refusal !== undefined) return 'refused';
  if (failure !== undefined) return `not reached: ${failure.failure}`;
  if (pending === true || served === undefined) return 'is looked at soon';
  return isNewTarget ? 'watched' : 'watched before';
}

/** Sentences about what is wrong with a server, and what to do. */
function hintsOf(one: WatchedServer): string[] {
  const { refusal, failure, served } = one;
  if (refusal !== undefined) return [`${placeOf(one)}: ${refusal.message}`];
  if (failure !== undefined) return [`${failure.hint} (${failure.stage})`];
  return served?.unverifiedReason === undefined
    ? []
    : [`${placeOf(one)}: clients may not trust the certificate, since ${served.unverifiedReason}`];
}
