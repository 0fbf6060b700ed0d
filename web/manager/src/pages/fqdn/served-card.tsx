import type { OwnFqdn, Served, ServedAddress, ServedClass } from '@certloop/contracts/browser';
import {
  type Column,
  ConfirmDialog,
  DataTable,
  Fault,
  Loaded,
  type Mark,
  Moment,
  queryOptions,
  readableTimes,
  StateChip,
  sentenceOf,
  WaitingLines,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';
import { NewTarget } from './new-target.js';

type Target = Served['targets'][number];

const marks: Readonly<Record<ServedClass, Mark>> = {
  unreachable: { tone: 'bad', shape: 'triangle', word: 'not reachable' },
  expired: { tone: 'bad', shape: 'octagon', word: 'expired' },
  not_yet_valid: { tone: 'bad', shape: 'triangle', word: 'not valid yet' },
  name_mismatch: { tone: 'bad', shape: 'octagon', word: 'another name' },
  chain_incomplete: { tone: 'bad', shape: 'triangle', word: 'chain incomplete' },
  current: { tone: 'ok', shape: 'check', word: 'newest' },
  previous: { tone: 'warn', shape: 'clock', word: 'the one before' },
  stale: { tone: 'bad', shape: 'triangle', word: 'not reloaded' },
  reissued_elsewhere: { tone: 'bad', shape: 'triangle', word: 'issued elsewhere' },
  foreign: { tone: 'bad', shape: 'triangle', word: 'another certificate' },
};

const notProbed: Mark = { tone: 'idle', shape: 'circle', word: 'not probed yet' };

/** An address of a target; without one before the first probe, and where the host has none. */
interface Row {
  readonly target: Target;
  readonly seen: ServedAddress | undefined;
  readonly isFirst: boolean;
}

// probes leave no trace in the log of changes
const refetchInterval = 60_000;

const servedQuery = ({ spaceId, id: fqdnId }: OwnFqdn) =>
  queryOptions(api.getServed, { params: { spaceId, fqdnId } });

/** Where the certificate is served, which one each address serves, and since when. */
export function ServedCard({ fqdn, mayWrite }: { readonly fqdn: OwnFqdn; readonly mayWrite: boolean }) {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({ ...servedQuery(fqdn), refetchInterval });
  return (
    <section className="cl-stack" aria-label="What is served">
      <div className="cl-title">
        <h2>What is served</h2>
        {mayWrite && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add a server
          </Button>
        )}
      </div>
      <Loaded query={query} waiting={<WaitingLines count={2} />}>
        {(served) =>
          served.targets.length === 0 ? (
            <p className="cl-dim">
              No server is known for this name. Add one to see which certificate it serves, and to be alerted
              if it does not serve the newest one.
            </p>
          ) : (
            <Targets fqdn={fqdn} served={served} mayWrite={mayWrite} />
          )
        }
      </Loaded>
      {isAdding && <NewTarget fqdn={fqdn} close={() => setAdding(false)} />}
    </section>
  );
}

function Targets({
  fqdn,
  served,
  mayWrite,
}: {
  readonly fqdn: OwnFqdn;
  readonly served: Served;
  readonly mayWrite: boolean;
}) {
  const queries = useQueryClient();
  const [removing, remove] = useState<Target>();
  const paramsOf = ({ targetId }: Target) => ({ spaceId: fqdn.spaceId, fqdnId: fqdn.id, targetId });
  const probe = useMutation({
    mutationFn: async (target: Target) => (await api.probeTarget({ params: paramsOf(target) })).body,
    onSuccess: (body) => queries.setQueryData(servedQuery(fqdn).queryKey, body),
  });
  const actions: Column<Row> = {
    key: 'actions',
    title: '',
    width: '15rem',
    cell: ({ target, isFirst }) =>
      isFirst && (
        <TargetActions
          target={target}
          isProbing={probe.isPending && probe.variables === target}
          probe={() => probe.mutate(target)}
          remove={() => remove(target)}
        />
      ),
  };
  return (
    <>
      <Fault>{probe.isError ? sentenceOf(probe.error) : undefined}</Fault>
      <DataTable
        label="What is served"
        columns={mayWrite ? [...columns, actions] : columns}
        rows={served.targets.flatMap(rowsOf)}
        rowKey={({ target, seen }) => `${target.targetId} ${seen?.address ?? ''}`}
      />
      {removing !== undefined && (
        <ConfirmDialog
          title={`Remove ${placeOf(removing)}?`}
          label="Remove the server"
          act={() => api.deleteTarget({ params: paramsOf(removing) })}
          changes={[fqdnResource(fqdn.spaceId, fqdn.id)]}
          close={() => remove(undefined)}
        >
          <p>CertLoop will no longer check which certificate it serves. You can add it again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function rowsOf(target: Target): readonly Row[] {
  if (target.addresses.length === 0) return [{ target, seen: undefined, isFirst: true }];
  return target.addresses.map((seen, place) => ({ target, seen, isFirst: place === 0 }));
}

function TargetActions({
  target,
  isProbing,
  probe,
  remove,
}: {
  readonly target: Target;
  readonly isProbing: boolean;
  readonly probe: () => void;
  readonly remove: () => void;
}) {
  return (
    <div className="cl-row">
      <Button
        size="xs"
        variant="default"
        aria-label={`Probe now: ${placeOf(target)}`}
        loading={isProbing}
        onClick={probe}
      >
        Probe now
      </Button>
      <Button size="xs" variant="subtle" aria-label={`Remove: ${placeOf(target)}`} onClick={remove}>
        Remove
      </Button>
    </div>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: 'server',
    title: 'Server',
    cell: ({ target }) => (target.enabled ? placeOf(target) : `${placeOf(target)} (off)`),
  },
  { key: 'address', title: 'Address', width: '10rem', cell: ({ seen }) => seen?.address },
  {
    key: 'class',
    title: 'Serves',
    width: '11rem',
    cell: ({ seen }) => <StateChip {...(seen === undefined ? notProbed : marks[seen.class])} />,
  },
  { key: 'since', title: 'Since', width: '8rem', cell: ({ seen }) => seen && <Moment at={seen.since} /> },
  { key: 'hint', title: 'What to do', cell: ({ seen }) => seen && readableTimes(seen.hint) },
];

/** The server as people write it: host, port, and how TLS begins where that is not at once. */
function placeOf({ host, port, protocol }: Target): string {
  return `${host}:${port}${protocol === 'tls' ? '' : `, ${protocol}`}`;
}
