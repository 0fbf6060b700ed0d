import type { NameVerdict, ReviewedName } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  type Mark,
  resourceOf,
  StateChip,
  wholeSentence,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type RowState, type RowWork, useRowWork } from '../../row-work.js';
import { api } from '../../service.js';

const verdicts: Readonly<Record<NameVerdict, Mark>> = {
  new: { tone: 'active', shape: 'circle', word: 'can be added' },
  exists: { tone: 'idle', shape: 'check', word: 'exists' },
  twin: { tone: 'idle', shape: 'bars', word: 'repeated' },
  refused: { tone: 'bad', shape: 'octagon', word: 'refused' },
};

const order: readonly NameVerdict[] = ['refused', 'twin', 'exists', 'new'];

/** A name of the list with its place, which is its key as names may repeat. */
interface Row extends ReviewedName {
  readonly place: number;
}

/** Verdicts on names, and the button that adds those that can be added. */
export function ReviewedNames({
  spaceId,
  names,
}: {
  readonly spaceId: string;
  readonly names: readonly ReviewedName[];
}) {
  // what will not be added comes first
  const rows = names
    .map((name, index): Row => ({ ...name, place: index + 1 }))
    .toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
  const work = useRowWork<Row, string>(
    ({ place }) => String(place),
    async ({ name }) => {
      const { body } = await api.createFqdn({ params: { id: spaceId }, body: { fqdn: name } });
      return body.id;
    },
    [resourceOf(api.listFqdns, { params: { id: spaceId } })],
  );
  const addable = rows.filter(({ verdict }) => verdict === 'new');
  const left = addable.filter(({ place }) => !work.states.has(String(place)));
  return (
    <section className="cl-stack" aria-label="Result">
      <p role="status">{summaryOf(rows, work)}</p>
      {work.stop !== undefined && (
        <p className="cl-strip" role="alert">
          {work.stop} {countOf(left.length, 'name is', 'names are')} not added yet. Go on when the service
          answers again.
        </p>
      )}
      <div className="cl-row">
        {left.length > 0 || work.isRunning ? (
          <Button loading={work.isRunning} onClick={() => work.run(left)}>
            {work.stop === undefined ? 'Add' : 'Go on with'} {countOf(left.length, 'name')}
          </Button>
        ) : (
          <Button
            renderRoot={(props) => <Link {...props} to="/spaces/$spaceId" params={{ spaceId }} />}
            variant="default"
          >
            Show the names of the space
          </Button>
        )}
      </div>
      <DataTable
        label="Names of the list"
        columns={columnsOf(spaceId, work)}
        rows={rows}
        rowKey={({ place }) => String(place)}
      />
    </section>
  );
}

function summaryOf(rows: readonly Row[], { states }: RowWork<Row, string>): string {
  const count = (verdict: NameVerdict) => rows.filter((row) => row.verdict === verdict).length;
  const ended = [...states.values()];
  const added = ended.filter(({ status }) => status === 'done').length;
  const refused = ended.filter(({ status }) => status === 'refused').length + count('refused');
  return [
    added > 0
      ? `${countOf(added, 'name was', 'names were')} added.`
      : `${countOf(count('new'), 'name')} can be added.`,
    count('exists') > 0 ? `${countOf(count('exists'), 'exists', 'exist')} already.` : '',
    count('twin') > 0 ? `${countOf(count('twin'), 'is', 'are')} repeated.` : '',
    refused > 0 ? `${countOf(refused, 'is', 'are')} refused.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function columnsOf(spaceId: string, { states }: RowWork<Row, string>): readonly Column<Row>[] {
  const idOf = ({ place, fqdnId }: Row) => {
    const state = states.get(String(place));
    return state?.status === 'done' ? state.result : fqdnId;
  };
  return [
    {
      key: 'name',
      title: 'Name',
      cell: (row) => {
        const fqdnId = idOf(row);
        const shown = row.fqdn ?? row.name;
        return fqdnId === undefined ? (
          <bdi>{shown}</bdi>
        ) : (
          <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
            {shown}
          </Link>
        );
      },
    },
    { key: 'place', title: 'Number', width: '5rem', cell: ({ place }) => place },
    {
      key: 'typed',
      title: 'As pasted',
      cell: ({ name, fqdn }) => (fqdn === undefined || fqdn === name ? null : <bdi>{name}</bdi>),
    },
    {
      key: 'verdict',
      title: 'State',
      width: '10rem',
      cell: (row) => <StateChip {...markOf(row, states.get(String(row.place)))} />,
    },
    {
      key: 'why',
      title: 'Reason',
      cell: ({ place, message }) => {
        const state = states.get(String(place));
        const reason = state?.status === 'refused' ? state.message : message;
        return reason === undefined ? null : wholeSentence(reason);
      },
    },
  ];
}

function markOf({ verdict }: Row, state: RowState<string> | undefined): Mark {
  if (state === undefined) return verdicts[verdict];
  if (state.status === 'running') return { tone: 'active', shape: 'turning', word: 'adding' };
  if (state.status === 'done') return { tone: 'ok', shape: 'check', word: 'added' };
  return verdicts.refused;
}
