import { type Column, lengthOf, Moment, RunStrip, spanText } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { CheckStateChip } from '../../check-states.js';
import type { LiveCheck } from '../../lookups.js';

/** Columns of the list of checks. */
export function checkColumns(projectId: string): readonly Column<LiveCheck>[] {
  return [
    {
      key: 'name',
      title: 'Check',
      cell: ({ id, name, slug, tags }) => (
        <div className="cl-name">
          <Link
            to="/projects/$projectId/checks/$checkId"
            params={{ projectId, checkId: id }}
            className={name === '' && slug === '' ? 'cl-dim' : undefined}
            title={name}
          >
            <bdi>{name || slug || 'unnamed'}</bdi>
          </Link>
          {tags.trim() !== '' && (
            <span className="cl-dim cl-tags">
              {[...new Set(tags.trim().split(/\s+/))].map((tag) => (
                <Fragment key={tag}>
                  <Link
                    to="/projects/$projectId"
                    params={{ projectId }}
                    search={(before) => ({ ...before, tag })}
                    aria-label={`Only checks with the tag ${tag}`}
                  >
                    {tag}
                  </Link>{' '}
                </Fragment>
              ))}
            </span>
          )}
        </div>
      ),
    },
    {
      key: 'status',
      title: 'State',
      width: '11rem',
      cell: ({ status, started }) => <CheckStateChip status={status} isRunning={started} />,
    },
    {
      key: 'runs',
      title: 'Latest runs',
      width: '13rem',
      cell: ({ recent = '' }) => <RunStrip runs={recent} />,
    },
    {
      key: 'schedule',
      title: 'Schedule',
      width: '11rem',
      cell: ({ timeout, schedule = '', tz }) =>
        timeout === undefined ? (
          <span title={tz}>
            <span className="cl-mono">{schedule}</span> {tz}
          </span>
        ) : (
          `every ${spanText(timeout)}`
        ),
    },
    {
      key: 'last',
      title: 'Last ping',
      width: '8rem',
      cell: ({ last_ping }) => (last_ping === null ? 'never' : <Moment at={last_ping} />),
    },
    {
      key: 'next',
      title: 'Expected',
      width: '8rem',
      cell: ({ next_ping, status, expectedAt }) => {
        const at = next_ping ?? (status === 'down' ? expectedAt : undefined);
        return at === undefined || at === null ? null : <Moment at={at} />;
      },
    },
    {
      key: 'duration',
      title: 'Last run',
      width: '6rem',
      cell: ({ last_duration }) => (last_duration === undefined ? null : lengthOf(last_duration)),
    },
  ];
}
