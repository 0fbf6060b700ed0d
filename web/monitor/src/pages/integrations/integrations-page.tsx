import type { AccountChannel } from '@certloop/contracts/browser';
import {
  type Column,
  DataTable,
  EmptyState,
  ErrorPanel,
  Fault,
  Icon,
  Loaded,
  Moment,
  StateChip,
  sentenceOf,
  useTitle,
} from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { channelsQuery, mayChange, projectQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { api } from '../../service.js';
import { Deliveries } from './deliveries.js';
import { NewIntegration } from './new-integration.js';

const route = getRouteApi('/inside/projects/$projectId/integrations');

/** The integrations of a project, how they are doing, and what they were sent. */
export function IntegrationsPage() {
  const { projectId } = route.useParams();
  const [isAdding, setAdding] = useState(false);
  const [opened, open] = useState<AccountChannel>();
  const [doomed, doom] = useState<AccountChannel>();
  const project = useQuery(projectQuery(projectId));
  const channels = useQuery(channelsQuery(projectId));
  useTitle(`Integrations of ${project.data?.name ?? 'a project'}`, 'monitor');
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const canChange = mayChange(project.data);
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      Add an integration
    </Button>
  );
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data}>
        {canChange && channels.data !== undefined && channels.data.length > 0 && add}
      </ProjectHead>
      <Loaded query={channels}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No one gets the alerts of this project">
              <p>An integration sends the alerts of checks to a mail address, a chat, or a program.</p>
              {canChange ? add : null}
            </EmptyState>
          ) : (
            <DataTable
              label="Integrations"
              columns={columnsFor({ projectId, canChange, open, doom })}
              rows={all}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {canChange && (
        <NewIntegration
          projectId={projectId}
          others={channels.data ?? []}
          isOpen={isAdding}
          close={() => setAdding(false)}
        />
      )}
      <Modal
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={`Messages of ${nameOf(opened)}`}
        size="lg"
      >
        {opened !== undefined && <Deliveries projectId={projectId} channelId={opened.id} />}
      </Modal>
      <Modal
        opened={doomed !== undefined}
        onClose={() => doom(undefined)}
        title={`Delete ${nameOf(doomed)}?`}
      >
        {doomed !== undefined && (
          <DeleteIntegration projectId={projectId} channel={doomed} close={() => doom(undefined)} />
        )}
      </Modal>
    </>
  );
}

function nameOf(channel: AccountChannel | undefined): string {
  return channel === undefined ? '' : channel.name || channel.label;
}

function columnsFor({
  projectId,
  canChange,
  open,
  doom,
}: {
  readonly projectId: string;
  readonly canChange: boolean;
  readonly open: (channel: AccountChannel) => void;
  readonly doom: (channel: AccountChannel) => void;
}): readonly Column<AccountChannel>[] {
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
    { key: 'state', title: 'State', width: '12rem', cell: (channel) => <ChannelState channel={channel} /> },
    {
      key: 'last',
      title: 'Last message',
      width: '10rem',
      cell: ({ last_notify }) => (last_notify === null ? 'none yet' : <Moment at={last_notify} />),
    },
    {
      key: 'error',
      title: 'Last error',
      cell: ({ last_error }) =>
        last_error === '' ? null : <span className="cl-anywhere">{last_error}</span>,
    },
    {
      key: 'actions',
      title: 'Actions',
      width: '20rem',
      cell: (channel) => (
        <div className="cl-row">
          <Button size="xs" variant="default" onClick={() => open(channel)}>
            Messages
          </Button>
          {canChange && <TestButton projectId={projectId} channel={channel} />}
          {canChange && (
            <Button size="xs" variant="subtle" color="red" onClick={() => doom(channel)}>
              Delete
            </Button>
          )}
        </div>
      ),
    },
  ];
}

/** What of the settings names the receiver. */
function targetOf({ settings }: AccountChannel): string {
  const { address, topic, recipient, roomId, chatId } = settings as Record<string, unknown>;
  const target = address ?? topic ?? recipient ?? roomId ?? chatId;
  return target === undefined ? '' : String(target);
}

function ChannelState({ channel }: { readonly channel: AccountChannel }) {
  if (channel.disabled) {
    return (
      <StateChip tone="bad" shape="octagon">
        switched off
      </StateChip>
    );
  }
  if (!channel.verified) {
    return (
      <StateChip tone="warn" shape="clock">
        not verified yet
      </StateChip>
    );
  }
  if (channel.failing_since !== null) {
    return (
      <StateChip tone="bad" shape="triangle">
        failing
      </StateChip>
    );
  }
  if (channel.held_until !== null) {
    return (
      <StateChip tone="warn" shape="clock">
        waiting for its target
      </StateChip>
    );
  }
  return channel.last_notify === null ? (
    <StateChip tone="idle" shape="circle">
      not used yet
    </StateChip>
  ) : (
    <StateChip tone="ok" shape="check">
      works
    </StateChip>
  );
}

function TestButton({
  projectId,
  channel,
}: {
  readonly projectId: string;
  readonly channel: AccountChannel;
}) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => api.testChannel({ params: { projectId, channelId: channel.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects', projectId, 'channels'] }),
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

function DeleteIntegration({
  projectId,
  channel,
  close,
}: {
  readonly projectId: string;
  readonly channel: AccountChannel;
  readonly close: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.deleteChannel({ params: { projectId, channelId: channel.id } }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  return (
    <div className="cl-form">
      <p>Checks no longer notify it, and messages that wait for it are not sent.</p>
      <Fault>{remove.isError ? sentenceOf(remove.error) : undefined}</Fault>
      <div className="cl-row">
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the integration
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
