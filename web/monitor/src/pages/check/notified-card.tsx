import type { Check, ReadOnlyCheck } from '@certloop/contracts/browser';
import { Fault, Loaded, StateChip, sentenceOf } from '@certloop/web-kit';
import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { channelsQuery } from '../../lookups.js';
import { projectApi } from '../../service.js';

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
  const queries = useQueryClient();
  const channels = useQuery(channelsQuery(projectId));
  const assigned = 'channels' in check ? check.channels.split(',').filter((id) => id !== '') : undefined;
  const assign = useMutation({
    mutationFn: (ids: readonly string[]) =>
      projectApi(projectId).updateCheck({
        params: { id: 'uuid' in check ? check.uuid : '' },
        body: { channels: ids.join(',') },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects', projectId, 'check'] }),
  });
  // a switch answers at once, and goes back when it is refused
  const shown = assign.isPending ? assign.variables : assigned;
  return (
    <section className="cl-panel" aria-label="Who is notified">
      <h2>Who is notified</h2>
      <Loaded query={channels}>
        {(all) =>
          all.length === 0 ? (
            <p>
              No one: the project has no integration.{' '}
              <Link to="/projects/$projectId/integrations" params={{ projectId }}>
                {canChange ? 'Add one' : 'Show integrations'}
              </Link>
            </p>
          ) : (
            <>
              {shown?.length === 0 && (
                <StateChip tone="warn" shape="triangle">
                  no one gets alerts of this check
                </StateChip>
              )}
              <ul className="cl-list">
                {all.map(({ id, name, label, disabled, failing_since, verified }) => (
                  <li key={id} className="cl-row">
                    {canChange && shown !== undefined ? (
                      <Switch
                        label={name || label}
                        checked={shown.includes(id)}
                        onChange={({ currentTarget: { checked } }) =>
                          assign.mutate(checked ? [...shown, id] : shown.filter((one) => one !== id))
                        }
                      />
                    ) : (
                      <span>{name || label}</span>
                    )}
                    {(disabled || failing_since !== null || !verified) && (
                      <StateChip tone="bad" shape="triangle">
                        {disabled ? 'switched off' : verified ? 'failing' : 'not verified'}
                      </StateChip>
                    )}
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
