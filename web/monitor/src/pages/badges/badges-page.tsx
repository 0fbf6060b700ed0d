import type { BadgeUrls, ListedCheck } from '@certloop/contracts/browser';
import {
  type BadgeForm,
  badgeAddress,
  badgeAt,
  badgeForms,
  badgeText,
  Choice,
  type Column,
  CopyText,
  checkBadges,
  DataTable,
  ErrorPanel,
  keyedBy,
  ListTable,
  Loaded,
  queryOptions,
  SearchForm,
  serviceUrl,
  useList,
  useTitle,
  WaitingTable,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { checkList, projectQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { projectApi } from '../../service.js';

const route = getRouteApi('/inside/projects/$projectId/badges');

/** Subject of a badge, with its addresses. */
interface Badge {
  readonly name: string;
  readonly urls: BadgeUrls;
}

/** Badges of a project: of all its checks, of each tag, of each check. */
export function BadgesPage() {
  const { projectId } = route.useParams();
  const [form, choose] = useState<BadgeForm>('markdown');
  const [isThree, setThree] = useState(false);
  const project = useQuery(projectQuery(projectId));
  useTitle(`Badges of ${project.data?.name ?? 'a project'}`, 'monitor');
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const shown = { projectId, columns: columnsFor(form, isThree) };
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data} />
      <p className="cl-dim">
        A badge is public: anyone who has its address sees the state. The address is signed, so that other
        badges cannot be guessed from it.
      </p>
      <div className="cl-row">
        <Choice label="Copy as" value={form} choices={badgeForms} choose={choose} />
        <Choice
          label="States"
          value={isThree ? '3' : '2'}
          choices={states}
          choose={(value) => setThree(value === '3')}
        />
      </div>
      <TagBadges {...shown} />
      <CheckBadges {...shown} />
    </>
  );
}

const states = [
  ['2', 'up or down'],
  ['3', 'up, late or down'],
] as const;

interface Shown {
  readonly projectId: string;
  readonly columns: readonly Column<Badge>[];
}

function TagBadges({ projectId, columns }: Shown) {
  const byTag = useQuery({
    ...queryOptions(projectApi(projectId).listBadges),
    select: ({ badges }) =>
      Object.entries(badges).map(([tag, urls]) => ({ name: tag === '*' ? 'All checks' : tag, urls })),
  });
  return (
    <section className="cl-stack" aria-label="Badges of tags">
      <h2>All checks, and by tag</h2>
      <Loaded query={byTag} waiting={<WaitingTable columns={columns} rows={2} />}>
        {(badges) => (
          <DataTable label="Badges of tags" columns={columns} rows={badges} rowKey={({ urls }) => urls.svg} />
        )}
      </Loaded>
    </section>
  );
}

function CheckBadges({ projectId, columns }: Shown) {
  const [q, search] = useState<string>();
  const narrowing = { sort: 'name', ...(q !== undefined && { q }) } as const;
  const { load, ...options } = keyedBy(checkList(projectId, narrowing), 'badges');
  const list = useList({
    ...options,
    load: async (cursor, signal) => {
      const page = await load(cursor, signal);
      return { ...page, rows: page.rows.map(badgeOf) };
    },
  });
  return (
    <section className="cl-stack" aria-label="Badges of checks">
      <h2>By check</h2>
      <SearchForm
        label="Search checks"
        placeholder="Name, slug or tag"
        maxLength={200}
        q={q}
        search={search}
      />
      <ListTable
        label="Badges of checks"
        list={list}
        columns={columns}
        rowKey={({ urls }) => urls.svg}
        noun="check"
        empty={
          <p className="cl-dim">{q === undefined ? 'This project has no check yet.' : 'No check matches.'}</p>
        }
      />
    </section>
  );
}

function badgeOf({ name, slug, badge_url }: ListedCheck): Badge {
  return { name: name || slug || 'unnamed', urls: checkBadges(badge_url) };
}

function columnsFor(form: BadgeForm, isThree: boolean): readonly Column<Badge>[] {
  return [
    { key: 'name', title: 'Badge of', width: '16rem', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      key: 'preview',
      title: 'Now',
      width: '12rem',
      cell: ({ name, urls }) => (
        <img
          src={badgeAt(serviceUrl(), badgeAddress(urls, 'url', isThree))}
          alt={`Badge of ${name}`}
          height={20}
          loading="lazy"
        />
      ),
    },
    {
      key: 'text',
      title: 'Text',
      cell: ({ name, urls }) => <code className="cl-mono">{badgeText(urls, form, { isThree, name })}</code>,
    },
    {
      key: 'copy',
      title: '',
      width: '7rem',
      cell: ({ name, urls }) => <CopyText text={badgeText(urls, form, { isThree, name })} />,
    },
  ];
}
