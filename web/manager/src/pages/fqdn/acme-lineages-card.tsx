import type { AcmeLineage, LineageState, OwnFqdn } from '@certloop/contracts/browser';
import {
  type Column,
  ConfirmDialog,
  DataTable,
  Loaded,
  type Mark,
  Moment,
  queryOptions,
  readableTimes,
  StateChip,
  WaitingLines,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { fqdnResource } from '../../resources.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';

// who was seen leaves no trace in the log of changes
const refetchInterval = 60_000;

/** Which ACME clients renew a name, from which machines; nothing for other names. */
export function AcmeLineagesCard({ fqdn }: { readonly fqdn: OwnFqdn }) {
  const { spaceId, id: fqdnId, status } = fqdn;
  const isRenewed = status.renewedBy === 'acme_client' || status.acmeClient !== undefined;
  const query = useQuery({
    ...queryOptions(api.listLineages, { params: { spaceId, fqdnId } }),
    refetchInterval,
    enabled: isRenewed,
  });
  if (!isRenewed) return null;
  return (
    <section className="cl-stack" aria-label="ACME clients">
      <h2>ACME clients that renew this name</h2>
      <Loaded query={query} waiting={<WaitingLines count={2} />}>
        {(lineages) => <Lineages fqdn={fqdn} lineages={lineages} />}
      </Loaded>
    </section>
  );
}

function Lineages({ fqdn, lineages }: { readonly fqdn: OwnFqdn; readonly lineages: readonly AcmeLineage[] }) {
  const [gone, ask] = useState<AcmeLineage>();
  const { spaceId, id: fqdnId, level } = fqdn;
  const mayRelease = includesLevel(level, 'FULL_ACCESS');
  const columns = useMemo(() => lineageColumns(spaceId, mayRelease ? ask : undefined), [spaceId, mayRelease]);
  return (
    <>
      <DataTable label="ACME clients" columns={columns} rows={lineages} rowKey={({ lineage }) => lineage} />
      {gone !== undefined && (
        <ConfirmDialog
          title="Is this machine gone?"
          label="This machine is gone"
          act={() => api.releaseLineage({ params: { spaceId, fqdnId, lineage: gone.lineage } })}
          changes={[fqdnResource(spaceId, fqdnId)]}
          close={() => ask(undefined)}
        >
          <p>
            CertLoop no longer expects that {clientName(gone)} renews from {gone.lastSeenFrom}. If the machine
            orders again, its renewals are expected again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const marks: Readonly<Record<LineageState, Mark>> = {
  expected: { tone: 'ok', shape: 'check', word: 'renews' },
  late: { tone: 'bad', shape: 'clock', word: 'late' },
  failing: { tone: 'bad', shape: 'triangle', word: 'last order failed' },
  released: { tone: 'idle', shape: 'bars', word: 'machine is gone' },
  replaced: { tone: 'idle', shape: 'bars', word: 'replaced' },
  deactivated: { tone: 'idle', shape: 'bars', word: 'account ended' },
  deleted: { tone: 'idle', shape: 'bars', word: 'client deleted' },
};

function lineageColumns(
  spaceId: string,
  release: ((lineage: AcmeLineage) => void) | undefined,
): readonly Column<AcmeLineage>[] {
  const columns: readonly Column<AcmeLineage>[] = [
    {
      key: 'client',
      title: 'Client',
      cell: (lineage) => (
        <>
          <Link to="/spaces/$spaceId/acme-clients" params={{ spaceId }}>
            {clientName(lineage)}
          </Link>
          <div className="cl-dim cl-anywhere">
            {lineage.agent ?? 'unknown program'} from {lineage.lastSeenFrom}
            {lineage.keyKind !== undefined && `, ${lineage.keyKind} key`}
          </div>
        </>
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: '10.5rem',
      cell: ({ state }) => <StateChip {...marks[state]} />,
    },
    {
      key: 'seen',
      title: 'Last seen',
      width: '8rem',
      cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} />,
    },
    {
      key: 'message',
      title: 'What is expected',
      cell: ({ message }) => <span className="cl-anywhere">{readableTimes(message)}</span>,
    },
  ];
  return release === undefined ? columns : [...columns, releaseColumn(release)];
}

const releaseColumn = (release: (lineage: AcmeLineage) => void): Column<AcmeLineage> => ({
  key: 'release',
  title: '',
  width: '14.5rem',
  cell: (lineage) =>
    isExpected(lineage) && (
      <Button
        size="xs"
        variant="default"
        onClick={() => release(lineage)}
        aria-label={`This machine is gone: ${clientName(lineage)} from ${lineage.lastSeenFrom}`}
      >
        This machine is gone…
      </Button>
    ),
});

const isExpected = ({ state }: AcmeLineage) => ['expected', 'late', 'failing'].includes(state);

const clientName = ({ client }: AcmeLineage) => client.name ?? 'a deleted client';
