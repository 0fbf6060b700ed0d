import type { AccountChannel, ListedCheck } from '@certloop/contracts/browser';
import { countText, type ListPage, sentenceOf } from '@certloop/web-kit';
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { nameOfCheck } from '../../check-states.js';
import { checkListsKey, type LiveCheck } from '../../lookups.js';
import { api } from '../../service.js';

/** Integrations of a project that a row shows as buttons; more fold behind their number. */
const maxShown = 2;

export interface ChannelTogglesProps {
  readonly projectId: string;
  readonly check: LiveCheck;
  readonly channels: readonly AccountChannel[];
}

/** The integrations of the project, each as a button that is pressed where the check notifies it. */
export function ChannelToggles({ projectId, check, channels }: ChannelTogglesProps) {
  const [isOpen, setOpen] = useState(false);
  const { assigned, toggle } = useToggle(projectId, check);
  const buttons = () => (
    <div className="cl-row cl-toggles">
      {channels.map((channel) => (
        <Toggle
          key={channel.id}
          channel={channel}
          check={check}
          isOn={assigned.includes(channel.id)}
          press={(isOn) => toggle.mutate({ channelId: channel.id, isOn })}
        />
      ))}
      {toggle.isError && <span role="alert">{sentenceOf(toggle.error)}</span>}
    </div>
  );
  if (channels.length <= maxShown) return buttons();
  return (
    <details open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        {assigned.length === 0 ? 'none' : countText(assigned.length)} of {countText(channels.length)}
        <span className="cl-visually-hidden"> integrations of {nameOfCheck(check)}</span>
      </summary>
      {isOpen && buttons()}
    </details>
  );
}

function Toggle({
  channel,
  check,
  isOn,
  press,
}: {
  readonly channel: AccountChannel;
  readonly check: LiveCheck;
  readonly isOn: boolean;
  readonly press: (isOn: boolean) => void;
}) {
  const name = channel.name || channel.label;
  const trouble = channel.disabled ? ', switched off' : channel.failing_since === null ? '' : ', failing';
  return (
    <button
      type="button"
      className="cl-filter cl-toggle"
      aria-pressed={isOn}
      aria-label={`${name}, for ${nameOfCheck(check)}${trouble}`}
      title={`${name}${trouble}`}
      data-tone={trouble === '' ? undefined : 'bad'}
      onClick={() => press(!isOn)}
    >
      <bdi>{name}</bdi>
    </button>
  );
}

interface Change {
  readonly channelId: string;
  readonly isOn: boolean;
}

/** The integrations of a check as they are shown, and their change: shown at once, and taken back when refused. */
function useToggle(projectId: string, check: LiveCheck) {
  const queries = useQueryClient();
  const assigned = 'channels' in check ? check.channels.split(',').filter((id) => id !== '') : [];
  const toggle = useMutation({
    mutationFn: ({ channelId, isOn }: Change) =>
      api.changeChecks({
        params: { projectId },
        body: {
          action: isOn ? 'add-channels' : 'remove-channels',
          ids: [check.id],
          channels: [channelId],
        },
      }),
    onSuccess: (_answer, change) => {
      const channels = changed(assigned, change).join(',');
      // the row alone: to load the list again takes long with thousands
      queries.setQueriesData<InfiniteData<ListPage<ListedCheck>>>(
        { queryKey: checkListsKey(projectId) },
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({
              ...page,
              rows: page.rows.map((row) => (row.id === check.id ? { ...row, channels } : row)),
            })),
          },
      );
    },
  });
  return {
    assigned: toggle.isPending ? changed(assigned, toggle.variables) : assigned,
    toggle,
  };
}

function changed(assigned: readonly string[], { channelId, isOn }: Change): readonly string[] {
  const others = assigned.filter((id) => id !== channelId);
  return isOn ? [...others, channelId] : others;
}
