import type { AccountChannel } from '@certloop/contracts/browser';
import { type Column, exactTime, lengthOf, Moment, RunStrip, useNow } from '@certloop/web-kit';
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
    { key: 'name', title: 'Check', cell: (check) => <CheckName projectId={projectId} check={check} /> },
    {
      key: 'status',
      title: 'State',
      width: '7rem',
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
      key: 'last',
      title: 'Last ping',
      width: '6.5rem',
      cell: ({ last_ping, last_duration }) => (
        <div className="cl-lines">
          {last_ping === null ? 'never' : <Moment at={last_ping} />}
          {last_duration !== undefined && <span className="cl-dim">took {lengthOf(last_duration)}</span>}
        </div>
      ),
    },
    {
      key: 'next',
      title: 'Expected',
      width: '6.5rem',
      cell: ({ next_ping, status, expectedAt }) => {
        const at = next_ping ?? (status === 'down' ? expectedAt : undefined);
        if (at === undefined || at === null) return null;
        return status === 'grace' ? <LengthSince before="late by" at={at} /> : <Moment at={at} />;
      },
    },
  ];
}

function CheckName({ projectId, check }: { readonly projectId: string; readonly check: LiveCheck }) {
  const { id, name, slug, tags } = check;
  return (
    <div className="cl-name">
      <Link
        to="/projects/$projectId/checks/$checkId"
        params={{ projectId, checkId: id }}
        className={name === '' && slug === '' ? 'cl-dim' : undefined}
        title={name}
      >
        <bdi>{nameOfCheck(check)}</bdi>
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
