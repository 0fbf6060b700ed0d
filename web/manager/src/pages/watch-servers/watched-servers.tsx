import type { WatchedServer } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  type Mark,
  Moment,
  StateChip,
  wholeSentence,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { issuerText } from '../../names/issuer-text.js';
import type { WatchedLine, Watching } from './use-watching.js';

/** The result of each line of the list. */
export function WatchedServers({
  spaceId,
  watching: { rows, isRunning },
}: {
  readonly spaceId: string;
  readonly watching: Watching;
}) {
  // what needs a hand comes first
  const sorted = rows.toSorted((one, other) => rankOf(one) - rankOf(other) || one.line - other.line);
  return (
    <section className="cl-stack" aria-label="Result">
      <p role="status">{summaryOf(rows)}</p>
      {!isRunning && (
        <div className="cl-row">
          <Button
            renderRoot={(props) => <Link {...props} to="/spaces/$spaceId" params={{ spaceId }} />}
            variant="default"
          >
            Show the names of the space
          </Button>
        </div>
      )}
      <DataTable
        label="Servers of the list"
        columns={columnsOf(spaceId, isRunning)}
        rows={sorted}
        rowKey={({ line }) => String(line)}
      />
    </section>
  );
}

const isAmiss = ({ refusal, failure }: WatchedServer) => refusal !== undefined || failure !== undefined;

function rankOf({ result }: WatchedLine): number {
  if (result === undefined) return 2;
  return isAmiss(result) ? 0 : 1;
}

function summaryOf(rows: readonly WatchedLine[]): string {
  const ended = rows.flatMap(({ result }) => result ?? []);
  const count = (is: (result: WatchedServer) => boolean) => ended.filter(is).length;
  const refused = count(({ refusal }) => refusal !== undefined);
  const failed = count(({ failure }) => failure !== undefined);
  return [
    `${countOf(ended.length - refused, 'server is', 'servers are')} watched.`,
    failed > 0 ? `${countOf(failed, 'of them was', 'of them were')} not reached.` : '',
    refused > 0 ? `${countOf(refused, 'is', 'are')} refused.` : '',
    ended.length < rows.length ? `${countOf(rows.length - ended.length, 'is', 'are')} left.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function columnsOf(spaceId: string, isRunning: boolean): readonly Column<WatchedLine>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      width: '13rem',
      cell: ({ result, host, fqdn: typed }) => {
        const { fqdn = typed ?? host, fqdnId } = result ?? {};
        return fqdnId === undefined ? (
          <bdi>{fqdn}</bdi>
        ) : (
          <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
            {fqdn}
          </Link>
        );
      },
    },
    { key: 'line', title: 'Line', width: '4rem', cell: ({ line }) => line },
    { key: 'server', title: 'Server', width: '11rem', cell: (row) => <bdi>{placeOf(row)}</bdi> },
    {
      key: 'state',
      title: 'State',
      width: '9rem',
      cell: ({ result }) => <StateChip {...markOf(result, isRunning)} />,
    },
    {
      key: 'issuer',
      title: 'Issuer',
      width: '8rem',
      cell: ({ result }) => (result?.served === undefined ? null : issuerText(result.served.issuer)),
    },
    {
      key: 'ends',
      title: 'Expires',
      width: '7rem',
      cell: ({ result }) => (result?.served === undefined ? null : <Moment at={result.served.notAfter} />),
    },
    { key: 'why', title: 'What to do', cell: ({ result }) => remedyOf(result) },
  ];
}

function placeOf({ host, port, protocol, result }: WatchedLine): string {
  const { host: name, port: number = port, protocol: word = protocol } = result ?? { host };
  const shown = name.includes(':') ? `[${name}]` : name;
  return `${shown}${number === undefined ? '' : `:${number}`}${word === undefined || word === 'tls' ? '' : `/${word}`}`;
}

function markOf(result: WatchedServer | undefined, isRunning: boolean): Mark {
  if (result === undefined)
    return isRunning
      ? { tone: 'active', shape: 'turning', word: 'looking' }
      : { tone: 'idle', shape: 'bars', word: 'not sent' };
  if (result.refusal !== undefined) return { tone: 'bad', shape: 'octagon', word: 'refused' };
  if (result.failure !== undefined) return { tone: 'bad', shape: 'octagon', word: 'not reached' };
  if (result.served === undefined) return { tone: 'active', shape: 'circle', word: 'soon' };
  return { tone: 'ok', shape: 'check', word: result.isNewTarget ? 'watched' : 'watched before' };
}

function remedyOf(result: WatchedServer | undefined): string | null {
  if (result?.refusal !== undefined) return wholeSentence(result.refusal.message);
  if (result?.failure !== undefined) return wholeSentence(result.failure.hint);
  const reason = result?.served?.unverifiedReason;
  return reason === undefined
    ? null
    : `Clients may not trust the certificate, since ${wholeSentence(reason)}`;
}
