import type { FqdnCounts, Space } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  type Column,
  CopyText,
  countOf,
  EmptyState,
  ListTable,
  Loaded,
  Moment,
  MovedRows,
  SearchForm,
  StateChip,
  serviceUrl,
  stateWords,
  useList,
  useSteadyList,
  useTitle,
} from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { spaceList, spaceLookUp } from '../../lookups.js';
import { useRights, useUserName } from '../../rights.js';
import { NewSpace } from '../../spaces/new-space.js';
import { SharedNamesSection } from './shared-names.js';
import { SpaceCards } from './space-cards.js';

const route = getRouteApi('/inside/spaces');

// without a search: all of them are seen at once
const fewSpaces = 5;
// more are a table
const maxCards = 12;

const columns: readonly Column<Space>[] = [
  {
    key: 'name',
    title: 'Space',
    narrow: 'name',
    cell: ({ id, name }) => (
      <Link to="/spaces/$spaceId" params={{ spaceId: id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    title: 'Description',
    cell: ({ description }) => (
      <span className="cl-clamp" dir="auto" title={description}>
        {description}
      </span>
    ),
  },
  {
    key: 'needs',
    title: 'State',
    width: '12rem',
    narrow: 'beside',
    cell: ({ counts }) => counts && <Needs counts={counts} />,
  },
  {
    key: 'names',
    title: 'Names',
    width: '7rem',
    narrow: 'fact',
    cell: ({ counts }) => counts && countOf(counts.total, 'name'),
  },
  {
    key: 'next',
    title: 'Next expiry',
    narrow: 'titled',
    width: '9rem',
    cell: ({ nextExpiry }) => nextExpiry && <Moment at={nextExpiry} />,
  },
  {
    key: 'level',
    title: 'Your level',
    width: '9rem',
    cell: ({ level }) => level,
  },
  {
    key: 'watch',
    title: 'Watch',
    width: '10rem',
    cell: ({ watchEnabled }) =>
      watchEnabled === false ? <StateChip tone="idle" shape="bars" word="not watched" /> : null,
  },
];

/** Shows what the administrator asks for: the name to put into a group. */
function OwnName() {
  const name = useUserName();
  if (name === undefined) return null;
  return (
    <p className="cl-row">
      Your user name is <strong>{name}</strong>
      <CopyText text={name} />
    </p>
  );
}

/** Whether a person is needed in a space. */
function Needs({ counts }: { readonly counts: FqdnCounts }) {
  if (counts.expired + counts.failing > 0) {
    return (
      <StateChip
        tone="bad"
        shape={counts.expired > 0 ? 'octagon' : 'triangle'}
        word={countOf(counts.needsYou, 'needs you', 'need you')}
      />
    );
  }
  if (counts.needsYou > 0) {
    return <StateChip tone="warn" shape="clock" word={countOf(counts.needsYou, 'needs you', 'need you')} />;
  }
  if (counts.total === 0) return null;
  return counts.valid === 0 ? (
    <StateChip tone="idle" shape="circle" word={stateWords.unfinished} />
  ) : (
    <StateChip tone="ok" shape="check" word="all well" />
  );
}

/** Shows what a space is for, and how to get one. */
function NoSpace({ add }: { readonly add: ReactNode }) {
  const { hasFullAccess } = useRights();
  return (
    <EmptyState title={hasFullAccess ? 'There is no space yet' : 'There is no space that you may see'}>
      <p>
        A space holds the names of a team or a service, and decides who may request certificates for them.{' '}
        {hasFullAccess ? 'Create one.' : 'Ask an administrator to add you to a group.'}
      </p>
      {!hasFullAccess && <OwnName />}
      {add}
      {hasFullAccess && <ByCommand text={createSpaceCommand()} />}
    </EmptyState>
  );
}

function createSpaceCommand(): string {
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"Shop"}' ${serviceUrl()}/spaces`;
}

function NoMatch() {
  return (
    <EmptyState title="No space matches">
      <p>Change the search above.</p>
    </EmptyState>
  );
}

/** The spaces with this part in their names, which keep their places while someone reads them. */
function useSpaces(q: string | undefined) {
  const list = useList(spaceList(q));
  return useSteadyList<Space>(list, {
    keyOf: ({ id }) => id,
    subject: JSON.stringify([q, useRights()]),
    find: ({ id }) => spaceLookUp(id),
  });
}

/** The spaces that the user may read: a few as cards, more as a table. */
export function SpacesPage() {
  useTitle('Spaces', 'manager');
  const [isAdding, setAdding] = useState(false);
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useSpaces(q);
  const { rows = [], total = rows.length } = list;
  const isFew = rows.length > 0 && total <= maxCards;
  const isSearchable = q !== undefined || total > fewSpaces;
  const { hasFullAccess, isAdmin } = useRights();
  const add = hasFullAccess && <AddButton label="Create a space" onClick={() => setAdding(true)} />;
  return (
    <>
      <div className="cl-title">
        <h1>Spaces</h1>
        {(q !== undefined || rows.length > 0) && add}
      </div>
      {isSearchable && (
        <SearchForm
          label="Search spaces"
          maxLength={100}
          q={q}
          search={(text) => void navigate({ search: text === undefined ? {} : { q: text } })}
        />
      )}
      <MovedRows moved={list.moved} sortAnew={list.sortAnew} />
      {isFew ? (
        <Loaded query={list.query}>
          {() => (
            <>
              <SpaceCards spaces={rows} />
              <span className="cl-dim">{countOf(rows.length, 'space')}</span>
            </>
          )}
        </Loaded>
      ) : (
        <ListTable
          list={list}
          label="Spaces"
          columns={columns}
          rowKey={({ id }) => id}
          noun="space"
          empty={q === undefined ? <NoSpace add={add} /> : <NoMatch />}
        />
      )}
      {isAdmin && q === undefined && rows.length > 1 && <SharedNamesSection />}
      <NewSpace isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}
