import type { BadgeUrls, ListedCheck } from '@certloop/contracts/browser';
import {
  type BadgeForm,
  badgeAddress,
  badgeAt,
  badgeForms,
  badgeText,
  type Column,
  CopyText,
  checkBadges,
  countText,
  DataTable,
  ErrorPanel,
  Loaded,
  serviceUrl,
  useTitle,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { projectQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { api, projectApi } from '../../service.js';

const route = getRouteApi('/inside/projects/$projectId/badges');

const maxChecks = 200;

/** What a badge stands for, with its addresses. */
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
  const byTag = useQuery({
    queryKey: ['projects', projectId, 'badges'],
    queryFn: async ({ signal }) =>
      Object.entries((await projectApi(projectId).listBadges({ signal })).body.badges).map(([tag, urls]) => ({
        name: tag === '*' ? 'All checks' : tag,
        urls,
      })),
  });
  const checks = useQuery({
    queryKey: ['projects', projectId, 'badges', 'checks'],
    queryFn: async ({ signal }) => {
      const query = { limit: String(maxChecks), sort: 'name' } as const;
      return (await api.listAccountChecks({ params: { projectId }, query, signal })).body.checks.map(badgeOf);
    },
  });
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const columns = columnsFor(form, isThree);
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data} />
      <p className="cl-dim">
        A badge is public: anyone who has its address sees the state. The address is signed, so that other
        badges cannot be guessed from it.
      </p>
      <div className="cl-row">
        <label className="cl-row">
          Copy as
          <select
            className="cl-select"
            value={form}
            onChange={({ currentTarget: { value } }) => choose(value as BadgeForm)}
          >
            {badgeForms.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="cl-row">
          States
          <select
            className="cl-select"
            value={isThree ? '3' : '2'}
            onChange={({ currentTarget: { value } }) => setThree(value === '3')}
          >
            <option value="2">up or down</option>
            <option value="3">up, late or down</option>
          </select>
        </label>
      </div>
      <section className="cl-stack" aria-label="Badges of tags">
        <h2>All checks, and by tag</h2>
        <Loaded query={byTag}>
          {(badges) => (
            <DataTable
              label="Badges of tags"
              columns={columns}
              rows={badges}
              rowKey={({ urls }) => urls.svg}
            />
          )}
        </Loaded>
      </section>
      <section className="cl-stack" aria-label="Badges of checks">
        <h2>By check</h2>
        <Loaded query={checks}>
          {(badges) =>
            badges.length === 0 ? (
              <p className="cl-dim">This project has no check yet.</p>
            ) : (
              <>
                <DataTable
                  label="Badges of checks"
                  columns={columns}
                  rows={badges}
                  rowKey={({ urls }) => urls.svg}
                />
                {badges.length === maxChecks && (
                  <p className="cl-dim">
                    These are the first {countText(maxChecks)} checks by name. The API shows the badge of each
                    check as badge_url.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </section>
    </>
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
