import type { AccountChannel } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  ConfirmDialog,
  DataTable,
  EmptyState,
  ErrorPanel,
  Loaded,
  StateChip,
  useTitle,
  WaitingTable,
} from '@certloop/web-kit';
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { countedChannelsQuery, mayChange, projectQuery } from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { projectResource } from '../../resources.js';
import { api } from '../../service.js';
import { Deliveries } from './deliveries.js';
import { EditIntegration } from './edit-integration.js';
import { integrationColumns, nameOf } from './integration-columns.js';
import { NewIntegration } from './new-integration.js';

const route = getRouteApi('/inside/projects/$projectId/integrations');

/** The integrations of a project, how they are doing, and what they were sent. */
export function IntegrationsPage() {
  const { projectId } = route.useParams();
  const [isAdding, setAdding] = useState(false);
  const [opened, open] = useState<AccountChannel>();
  const [edited, edit] = useState<AccountChannel>();
  const [doomed, doom] = useState<AccountChannel>();
  const project = useQuery(projectQuery(projectId));
  const channels = useQuery(countedChannelsQuery(projectId));
  useTitle(`Integrations of ${project.data?.name ?? 'a project'}`, 'monitor');
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const canChange = mayChange(project.data);
  const columns = integrationColumns({ projectId, canChange, open, edit, doom });
  const add = <AddButton label="Add an integration" onClick={() => setAdding(true)} />;
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data}>
        {canChange && channels.data !== undefined && channels.data.length > 0 && add}
      </ProjectHead>
      <Loaded query={channels} waiting={<WaitingTable columns={columns} rows={3} />}>
        {(all) =>
          all.length === 0 ? (
            <NoIntegration>{canChange ? add : null}</NoIntegration>
          ) : (
            <>
              {all.every(
                ({ disabled, verified, cannot_send: obstacle }) => disabled || !verified || obstacle,
              ) && <ReachNoOne />}
              <DataTable label="Integrations" columns={columns} rows={all} rowKey={({ id }) => id} />
            </>
          )
        }
      </Loaded>
      {/* also after the right has gone: it holds what was typed, and the refusal */}
      <NewIntegration
        projectId={projectId}
        others={channels.data ?? []}
        isOpen={isAdding}
        close={() => setAdding(false)}
      />
      {edited !== undefined && (
        <EditIntegration
          projectId={projectId}
          channel={edited}
          others={channels.data ?? []}
          close={() => edit(undefined)}
        />
      )}
      <Messages projectId={projectId} channel={opened} close={() => open(undefined)} />
      {doomed !== undefined && (
        <DeleteIntegration projectId={projectId} channel={doomed} close={() => doom(undefined)} />
      )}
    </>
  );
}

function NoIntegration({ children }: { readonly children: ReactNode }) {
  return (
    <EmptyState title="No one gets the alerts of this project">
      <ReachNoOne />
      <p>An integration sends the alerts of checks to a mail address, a chat, or a program.</p>
      {children}
      {children !== null && (
        <ByCommand text="certloop integrations create Ops --kind webhook --url https://hooks.example.org/certloop" />
      )}
    </EmptyState>
  );
}

function ReachNoOne() {
  return (
    <div>
      <StateChip tone="bad" shape="octagon" word="alerts reach no one" />
    </div>
  );
}

/** Shows what an integration was sent; closed while there is none. */
function Messages({
  projectId,
  channel,
  close,
}: {
  readonly projectId: string;
  readonly channel: AccountChannel | undefined;
  readonly close: () => void;
}) {
  return (
    <Modal opened={channel !== undefined} onClose={close} title={`Messages of ${nameOf(channel)}`} size="lg">
      {channel !== undefined && <Deliveries projectId={projectId} channelId={channel.id} />}
    </Modal>
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
  return (
    <ConfirmDialog
      title={`Delete ${nameOf(channel)}?`}
      label="Delete the integration"
      act={() => api.deleteChannel({ params: { projectId, channelId: channel.id } })}
      changes={[projectResource(projectId)]}
      close={close}
    >
      <p>Checks no longer notify it, and messages that wait for it are not sent.</p>
    </ConfirmDialog>
  );
}
