import type { AccountChannel } from '@certloop/contracts/browser';
import { type Column, countText, Fault, Moment, StateChip, sentenceOf } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { channelsResource } from '../../resources.js';
import { api } from '../../service.js';

/** The name of an integration, or that of its kind. */
export function nameOf(channel: AccountChannel | undefined): string {
  return channel === undefined ? '' : channel.name || channel.label;
}

interface IntegrationTable {
  readonly projectId: string;
  readonly canChange: boolean;
  readonly open: (channel: AccountChannel) => void;
  readonly edit: (channel: AccountChannel) => void;
  readonly doom: (channel: AccountChannel) => void;
}

/** Columns of the list of integrations. */
export function integrationColumns(table: IntegrationTable): readonly Column<AccountChannel>[] {
  const { projectId, canChange } = table;
  return [
    {
      key: 'name',
      title: 'Integration',
      cell: (channel) => (
        <div className="cl-name">
          <bdi>{nameOf(channel)}</bdi>
          <span className="cl-dim cl-anywhere">
            {[channel.name === '' ? '' : channel.label, targetOf(channel)].filter(Boolean).join(', ')}
          </span>
        </div>
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: '12rem',
      cell: (channel) => (
        <div className="cl-stack">
          <div>
            <ChannelState channel={channel} />
          </div>
          {canChange && <SwitchOn projectId={projectId} channel={channel} />}
        </div>
      ),
    },
    {
      key: 'checks',
      title: 'Checks',
      width: '6rem',
      cell: (channel) => <ChecksLink projectId={projectId} channel={channel} />,
    },
    {
      key: 'last',
      title: 'Last message',
      width: '10rem',
      cell: ({ last_notify }) => (last_notify === null ? 'none yet' : <Moment at={last_notify} />),
    },
    {
      key: 'error',
      title: 'Last error',
      cell: ({ last_error, cannot_send }) =>
        last_error === '' && cannot_send === undefined ? null : (
          <span className="cl-anywhere">{cannot_send ?? last_error}</span>
        ),
    },
    {
      key: 'actions',
      title: 'Actions',
      width: '24rem',
      cell: (channel) => <ChannelActions {...table} channel={channel} />,
    },
  ];
}

/** Returns what of the settings names the receiver. */
function targetOf({ settings }: AccountChannel): string {
  const { address, topic, recipient, roomId, chatId } = settings as Record<string, unknown>;
  const target = address ?? topic ?? recipient ?? roomId ?? chatId;
  return target === undefined ? '' : String(target);
}

/** How many checks notify an integration, as a link to their list. */
function ChecksLink({
  projectId,
  channel,
}: {
  readonly projectId: string;
  readonly channel: AccountChannel;
}) {
  const count = countText(channel.checks ?? 0);
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ channel: channel.id }}
      aria-label={`Checks that notify ${nameOf(channel)}: ${count}`}
    >
      {count}
    </Link>
  );
}

function ChannelActions({
  projectId,
  canChange,
  open,
  edit,
  doom,
  channel,
}: IntegrationTable & { readonly channel: AccountChannel }) {
  return (
    <div className="cl-row">
      <Button size="xs" variant="default" onClick={() => open(channel)}>
        Messages
      </Button>
      {canChange && <TestButton projectId={projectId} channel={channel} />}
      {canChange && (
        <>
          <Button size="xs" variant="default" onClick={() => edit(channel)}>
            Edit
          </Button>
          <Button size="xs" variant="subtle" color="red" onClick={() => doom(channel)}>
            Delete
          </Button>
        </>
      )}
    </div>
  );
}

function ChannelState({ channel }: { readonly channel: AccountChannel }) {
  if (channel.disabled) {
    return <StateChip tone="bad" shape="octagon" word="switched off" />;
  }
  if (!channel.verified) {
    return <StateChip tone="warn" shape="clock" word="not verified yet" />;
  }
  if (channel.cannot_send !== undefined) {
    return <StateChip tone="bad" shape="octagon" word="cannot send" />;
  }
  if (channel.failing_since !== null) {
    return <StateChip tone="bad" shape="triangle" word="failing" />;
  }
  if (channel.held_until !== null) {
    return <StateChip tone="warn" shape="clock" word="waiting for its target" />;
  }
  return channel.last_delivered_at === null ? (
    <StateChip
      tone="idle"
      shape="circle"
      word={channel.last_notify === null ? 'not used yet' : 'not tested yet'}
    />
  ) : (
    <StateChip tone="ok" shape="check" word="works" />
  );
}

/** Brings an integration back that was switched off, and asks an address again that has not confirmed. */
function SwitchOn({ projectId, channel }: { readonly projectId: string; readonly channel: AccountChannel }) {
  const renew = useMutation({
    // the settings as they are: the service takes them as new ones
    mutationFn: () =>
      api.editChannel({
        params: { projectId, channelId: channel.id },
        body: { settings: channel.settings },
      }),
    meta: { changes: [channelsResource(projectId)] },
  });
  if (!channel.disabled && channel.verified) return null;
  return (
    <>
      <span className="cl-dim">
        {channel.disabled
          ? 'Its target refused the alerts for good. Correct the target or the settings, then switch it on.'
          : 'Someone must open the link in the mail that was sent to this address.'}
      </span>
      <div>
        <Button size="xs" variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
          {channel.disabled ? 'Switch on again' : 'Send the mail again'}
        </Button>
      </div>
      <Fault>{renew.isError ? sentenceOf(renew.error) : undefined}</Fault>
    </>
  );
}

function TestButton({
  projectId,
  channel,
}: {
  readonly projectId: string;
  readonly channel: AccountChannel;
}) {
  const test = useMutation({
    mutationFn: () => api.testChannel({ params: { projectId, channelId: channel.id } }),
    meta: { changes: [channelsResource(projectId)] },
  });
  const outcome = test.data?.body;
  return (
    <>
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test
      </Button>
      <span role="status">
        {outcome?.ok === true && 'Sent.'}
        {outcome?.ok === false && `Not sent: ${outcome.error}`}
        {test.isError && sentenceOf(test.error)}
      </span>
    </>
  );
}
