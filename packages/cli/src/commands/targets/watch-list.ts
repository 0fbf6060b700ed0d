import { maxServerLines, readServerLines, type ServerLine } from '@certloop/contracts';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';

export interface WatchListOptions {
  readonly file?: string;
  readonly name?: string;
}

/** A list of lines, and its name in errors. */
interface NamedText {
  readonly source: string;
  readonly text: string;
}

const maxShownFaults = 20;

/**
 * The servers of the arguments and of the list file, each once. Throws UsageError for none or too many, and if one of them
 * is not understood, with all lines that are not.
 */
export async function readWatchList(
  { io }: Pick<Session, 'io'>,
  places: readonly string[],
  { file, name }: WatchListOptions,
): Promise<ServerLine[]> {
  const texts: NamedText[] = [
    ...(places.length > 0 ? [{ source: 'server', text: places.join('\n') }] : []),
    ...(file === undefined
      ? []
      : [{ source: file === '-' ? 'line' : `${file}: line`, text: await io.readText(file) }]),
  ];
  if (texts.length === 0) throw new UsageError('name the servers, or a list of them with --file');
  const lists = texts.map(({ source, text }) => ({ source, ...readServerLines(text) }));
  const faults = lists.flatMap(({ source, bad }) =>
    bad.map(({ line, text, message }) => `${source} ${line}, ${JSON.stringify(text)}, ${message}`),
  );
  if (faults.length > 0) throw new UsageError(faultsText(faults));
  const servers = lists.flatMap((list) => list.servers);
  if (servers.length === 0) throw new UsageError(`${file ?? 'the list'} names no server`);
  if (servers.length > maxServerLines)
    throw new UsageError(
      `the list names ${servers.length} servers; watch at most ${maxServerLines} by one command`,
    );
  return name === undefined ? servers : servers.map((server) => ({ ...server, fqdn: server.fqdn ?? name }));
}

function faultsText(faults: readonly string[]): string {
  const [shown, rest] = [faults.slice(0, maxShownFaults), faults.length - maxShownFaults];
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return ['nothing was sent, since lines are not understood:', ...shown, ...more].join('\n  ');
}
