import type { AccountChannel, Check, ReadOnlyCheck } from '@certloop/contracts/browser';
import { Fault, Loaded, resourceOf, StateChip, sentenceOf, WaitingLines } from '@certloop/web-kit';
import { Switch } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NoOneChip } from '../../alert-reach.js';
import { channelsQuery } from '../../lookups.js';
import { api, projectApi } from '../../service.js';

/** Which integrations get the alerts of a check. */
export function NotifiedCard({
  projectId,
  check,
  canChange,
}: {
  readonly projectId: string;
  readonly check: Check | ReadOnlyCheck;
  readonly canChange: boolean;
}) {
  const channels = useQuery(channelsQuery(projectId));
  const { shown, assign } = useAssignment(projectId, check);
  return (
    <section className="cl-panel" aria-label="Who is notified">
      <h2>Who is notified</h2>
      <Loaded query={channels} waiting={<WaitingLines count={2} />}>
        {(all) =>
          all.length === 0 ? (
            <p>
              <NoOneChip /> The project has no integration.{' '}
              <Link to="/projects/$projectId/integrations" params={{ projectId }}>
                {canChange ? 'Add one' : 'Show integrations'}
              </Link>
            </p>
          ) : (
            <>
              {shown !== undefined && !all.some(({ id, ...one }) => shown.includes(id) && canSend(one)) && (
                <p>
                  <NoOneChip /> No integration that can send gets the alerts of this check.
                </p>
              )}
              <ul className="cl-list">
                {all.map((channel) => (
                  <li key={channel.id} className="cl-row">
                    {canChange && shown !== undefined ? (
                      <ChannelSwitch channel={channel} assigned={shown} assign={assign.mutate} />
                    ) : (
                      <span>{channel.name || channel.label}</span>
                    )}
                    <Trouble channel={channel} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      <Fault>{assign.isError ? sentenceOf(assign.error) : undefined}</Fault>
    </section>
  );
}

/** The ids of the integrations that the check notifies, as its switches show them, and their change. */
function useAssignment(projectId: string, check: Check | ReadOnlyCheck) {
  const assigned = 'channels' in check ? check.channels.split(',').filter((id) => id !== '') : undefined;
  const assign = useMutation({
    mutationFn: (ids: readonly string[]) =>
      projectApi(projectId).updateCheck({
        params: { id: 'uuid' in check ? check.uuid : '' },
        body: { channels: ids.join(',') },
      }),
    meta: { changes: [resourceOf(api.listAccountChecks, { params: { projectId } })] },
  });
  // a switch answers at once, and goes back when it is refused
  return { shown: assign.isPending ? assign.variables : assigned, assign };
}

function ChannelSwitch({
  channel: { id, name, label },
  assigned,
  assign,
}: {
  readonly channel: AccountChannel;
  readonly assigned: readonly string[];
  readonly assign: (ids: readonly string[]) => void;
}) {
  return (
    <Switch
      label={name || label}
      checked={assigned.includes(id)}
      onChange={({ currentTarget: { checked } }) =>
        assign(checked ? [...assigned, id] : assigned.filter((one) => one !== id))
      }
    />
  );
}

type Health = Pick<AccountChannel, 'disabled' | 'verified' | 'failing_since' | 'cannot_send'>;

/** Whether an integration is enabled and able to send, also while it fails. */
function canSend({ disabled, verified, cannot_send: obstacle }: Health): boolean {
  return !disabled && verified && obstacle === undefined;
}

/** Why an integration gets no alerts; nothing if it gets them. */
function Trouble({ channel }: { readonly channel: Health }) {
  const { disabled, failing_since: failingSince, verified } = channel;
  if (canSend(channel) && failingSince === null) return null;
  const word = disabled ? 'switched off' : verified ? 'cannot send' : 'not verified';
  return <StateChip tone="bad" shape="triangle" word={canSend(channel) ? 'failing' : word} />;
}
