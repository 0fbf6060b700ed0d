import type { AccountChannel } from '@certloop/contracts/browser';
import { type Column, countText, exactTime, lengthOf, Moment, RunStrip, useNow } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { CheckStateChip, nameOfCheck } from '../../check-states.js';
import type { LiveCheck } from '../../lookups.js';
import { ScheduleText } from '../../schedule-text.js';
import { ChannelToggles } from './channel-toggles.js';
import { RowActions } from './row-actions.js';
import type { BulkChange } from './use-bulk-change.js';

export interface CheckColumnsProps {
  readonly projectId: string;
  readonly channels: readonly AccountChannel[];
  readonly canChange: boolean;
  readonly bulk: BulkChange['ofRows'];
}

/** Columns of the list of checks; a reader gets none that change anything. */
export function checkColumns({
  projectId,
  channels,
  canChange,
  bulk,
}: CheckColumnsProps): readonly Column<LiveCheck>[] {
  const shown = shownColumns(projectId);
  if (!canChange) return shown;
  const toggles: Column<LiveCheck> = {
    key: 'channels',
    title: 'Notifies',
    width: '8.5rem',
    cell: (check) => <ChannelToggles projectId={projectId} check={check} channels={channels} />,
  };
  const actions: Column<LiveCheck> = {
    key: 'actions',
    title: 'Actions',
    width: '12.25rem',
    cell: (check) => <RowActions projectId={projectId} check={check} bulk={bulk} />,
  };
  return channels.length === 0 ? [...shown, actions] : [...shown, toggles, actions];
}

/** Columns that everyone sees. */
export function shownColumns(projectId: string): readonly Column<LiveCheck>[] {
  return [
    {
      key: 'name',
      title: 'Check',
      narrow: 'name',
      cell: (check) => <CheckName projectId={projectId} check={check} />,
    },
    {
      key: 'status',
      title: 'State',
      width: '7rem',
      narrow: 'beside',
      cell: ({ status, started, downSince }) => (
        <div className="cl-lines">
          <CheckStateChip status={status} isRunning={started} />
          {status === 'down' && downSince !== undefined && <LengthSince before="for" at={downSince} />}
        </div>
      ),
    },
    {
      key: 'runs',
      title: 'Latest runs',
      width: '8.5rem',
      cell: ({ recent = '' }) => <RunStrip runs={recent} />,
    },
    {
      key: 'schedule',
      title: 'Schedule',
      width: '8.5rem',
      cell: (check) => <ScheduleText check={check} />,
    },
    {
      key: 'pings',
      title: 'Last ping',
      width: '9rem',
      narrow: 'titled',
      cell: ({ last_ping, last_duration, next_ping, status, expectedAt }) => {
        const next = next_ping ?? (status === 'down' ? expectedAt : undefined);
        return (
          <div className="cl-lines">
            {last_ping === null ? 'never' : <Moment at={last_ping} />}
            {last_duration !== undefined && (
              <span className="cl-dim cl-extra">took {lengthOf(last_duration)}</span>
            )}
            {next !== undefined && next !== null && <Expected at={next} status={status} />}
          </div>
        );
      },
    },
  ];
}

/** When the next ping is or was expected, or by how much it is late. */
function Expected({ at, status }: { readonly at: string; readonly status: LiveCheck['status'] }) {
  if (status === 'grace') return <LengthSince before="late by" at={at} />;
  return (
    <span className="cl-dim">
      {status === 'down' ? 'expected' : 'next'} <Moment at={at} />
    </span>
  );
}

function CheckName({ projectId, check }: { readonly projectId: string; readonly check: LiveCheck }) {
  const { id, name, slug, tags } = check;
  return (
    <div className="cl-name">
      <Link
        to="/projects/$projectId/checks/$checkId"
        params={{ projectId, checkId: id }}
        className={name === '' && slug === '' ? 'cl-check-name cl-dim' : 'cl-check-name'}
        title={name}
      >
        <bdi>{nameOfCheck(check)}</bdi>
      </Link>
      <Tags
        projectId={projectId}
        checkId={id}
        tags={[...new Set(tags.trim().split(/\s+/))].filter((tag) => tag !== '')}
      />
    </div>
  );
}

/** Tags in a row of the list; the page of the check has all of them. */
const maxTags = 3;

/** The first tags of a check, each with a link to the checks that have it; the others lead to the page with all. */
function Tags({
  projectId,
  checkId,
  tags,
}: {
  readonly projectId: string;
  readonly checkId: string;
  readonly tags: readonly string[];
}) {
  if (tags.length === 0) return null;
  return (
    <div className="cl-dim cl-tags">
      {tags.slice(0, maxTags).map((tag) => (
        <Fragment key={tag}>
          <Link
            className="cl-tag"
            to="/projects/$projectId"
            params={{ projectId }}
            search={(before) => ({ ...before, tag })}
            aria-label={`Only checks with the tag ${tag}`}
            title={tag}
          >
            <bdi>{tag}</bdi>
          </Link>{' '}
        </Fragment>
      ))}
      {tags.length > maxTags && (
        <Link
          className="cl-tag"
          to="/projects/$projectId/checks/$checkId"
          params={{ projectId, checkId }}
          title={tags.join(' ')}
          aria-label={`and ${countText(tags.length - maxTags)} more: ${tags.slice(maxTags).join(', ')}`}
        >
          and {countText(tags.length - maxTags)} more
        </Link>
      )}
    </div>
  );
}

/** How long ago a moment was, such as `late by 12 min`, without more than whole minutes after the first. */
function LengthSince({ before, at }: { readonly before: string; readonly at: string }) {
  const now = useNow(10_000);
  const seconds = Math.max(0, Math.floor((now - Date.parse(at)) / 1_000));
  const shown = seconds < 60 ? seconds : seconds - (seconds % 60);
  return (
    <time className="cl-dim" dateTime={at} title={exactTime(at)}>
      {before} {lengthOf(shown)}
    </time>
  );
}
