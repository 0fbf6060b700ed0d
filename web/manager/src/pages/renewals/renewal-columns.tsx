import type { RenewalQueueEntry, RenewalStatus } from '@certloop/contracts/browser';
import {
  type Column,
  hostText,
  LongName,
  type Mark,
  Moment,
  StateChip,
  useNow,
  wholeSentence,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../../providers.js';
import { includesLevel } from '../../rights.js';

export const statusTitles: Readonly<Record<RenewalStatus, string>> = {
  pending: 'Pending',
  processing: 'Running',
  failed: 'Failed',
  completed: 'Done',
};

const marks: Readonly<Record<RenewalStatus, Omit<Mark, 'word'>>> = {
  pending: { tone: 'idle', shape: 'clock' },
  processing: { tone: 'active', shape: 'turning' },
  failed: { tone: 'bad', shape: 'octagon' },
  completed: { tone: 'ok', shape: 'check' },
};

type Run = Pick<UseMutationResult<unknown, Error, RenewalQueueEntry>, 'isPending' | 'variables' | 'mutate'>;

/** Columns of the renewals of a status; `run` runs a pending one now. */
export function useRenewalColumns(status: RenewalStatus, run: Run): readonly Column<RenewalQueueEntry>[] {
  const now = useNow();
  const providers = useProviders();
  return [
    { key: 'fqdn', title: 'Name', narrow: 'name', cell: (entry) => <Name entry={entry} /> },
    {
      key: 'state',
      title: 'State',
      width: '7.5rem',
      narrow: 'beside',
      cell: (entry) => <State entry={entry} now={now} />,
    },
    {
      key: 'at',
      title: 'When and why',
      width: '13rem',
      narrow: status === 'failed' ? undefined : 'line',
      cell: (entry) => <When entry={entry} />,
    },
    { key: 'try', title: 'Try', width: '3.5rem', cell: ({ attempt = 1 }) => attempt },
    ...(status === 'completed' ? [] : [errorColumn(status)]),
    {
      key: 'provider',
      title: 'Provider',
      width: '10rem',
      cell: ({ providerId }) => providerName(providers.data, providerId),
    },
    ...(status === 'pending' ? [runColumn(run)] : []),
  ];
}

const errorColumn = (shown: RenewalStatus): Column<RenewalQueueEntry> => ({
  key: 'error',
  title: 'Last error',
  narrow: shown === 'failed' ? 'line' : undefined,
  cell: ({ status, reason, lastError }) => {
    const error = status === 'failed' ? reason : lastError;
    return error !== undefined && <span className="cl-anywhere">{wholeSentence(error)}</span>;
  },
});

const runColumn = (run: Run): Column<RenewalQueueEntry> => ({
  key: 'run',
  title: '',
  width: '8.5rem',
  narrow: 'fact',
  cell: (entry) =>
    includesLevel(entry.level, 'READ_WRITE') && (
      <Button
        size="xs"
        variant="default"
        loading={run.isPending && run.variables?.id === entry.id}
        onClick={() => run.mutate(entry)}
        aria-label={`Run now: ${entry.fqdn ?? 'this name'}`}
      >
        Run now
      </Button>
    ),
});

function Name({ entry: { spaceId, fqdnId, fqdn, spaceName } }: { readonly entry: RenewalQueueEntry }) {
  return (
    <>
      {fqdn === undefined ? (
        'a deleted name'
      ) : (
        <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }} aria-label={hostText(fqdn)}>
          <LongName>{fqdn}</LongName>
        </Link>
      )}
      <div className="cl-dim cl-anywhere">
        <bdi>{spaceName}</bdi>
      </div>
    </>
  );
}

function State({ entry, now }: { readonly entry: RenewalQueueEntry; readonly now: number }) {
  const { status, attempt = 1, scheduledAt } = entry;
  const isRetry = status === 'pending' && attempt > 1;
  const isDue = status === 'pending' && Date.parse(scheduledAt) <= now;
  const word = isDue ? 'due' : status === 'pending' ? 'planned' : statusTitles[status].toLowerCase();
  return <StateChip {...marks[status]} {...(isRetry && { tone: 'warn' as const })} word={word} />;
}

function When({ entry }: { readonly entry: RenewalQueueEntry }) {
  return (
    <>
      <Moment at={entry.scheduledAt} />
      <div className="cl-dim cl-anywhere">{causeOf(entry)}</div>
    </>
  );
}

/** Why an entry runs at its time, or what it waits for. */
function causeOf({ status, reason, isTest, attempt = 1 }: RenewalQueueEntry): string {
  if (status === 'pending' && reason !== undefined) return wholeSentence(reason);
  if (attempt > 1) return 'tried again after an error';
  return isTest === true ? 'test entry' : 'renewal date';
}
