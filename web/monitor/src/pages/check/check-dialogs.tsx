import type { Check } from '@certloop/contracts/browser';
import {
  ConfirmForm,
  Fault,
  FormEnd,
  faultsOf,
  forgetResource,
  Loaded,
  queryOptions,
  sentenceOf,
  WaitingLines,
} from '@certloop/web-kit';
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { diagnosisQuery, mayChange } from '../../lookups.js';
import { checkResource, projectResource, projectsResource } from '../../resources.js';
import {
  draftOf,
  type ScheduleDraft,
  ScheduleForm,
  scheduleBody,
  scheduleFields,
  usePreview,
} from '../../schedule-form.js';
import { api, projectApi } from '../../service.js';

export interface CheckDialogProps {
  readonly projectId: string;
  readonly check: Check;
  readonly close: () => void;
}

/** Changes the schedule, with a preview. */
export function ScheduleDialog({ projectId, check, close }: CheckDialogProps) {
  const isCron = check.schedule?.trim().split(/\s+/).length === 5;
  const kind = check.timeout === undefined ? (isCron ? 'cron' : 'oncalendar') : 'simple';
  const [draft, setDraft] = useState(() => draftOf({ ...check, kind }));
  const { preview, error, isValid } = usePreview(draft);
  const checks = projectApi(projectId);
  const send = (to: typeof checks) =>
    to.updateCheck({ params: { id: check.uuid }, body: scheduleBody(draft) });
  const save = useMutation({
    mutationFn: () => send(checks),
    meta: { changes: [projectResource(projectId)] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(save.error, scheduleFields);
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Suggested projectId={projectId} check={check} draft={draft} change={setDraft} />
      <ScheduleForm draft={draft} change={setDraft} preview={preview} error={error} refused={byField} />
      <Fault>{general}</Fault>
      <FormEnd api={checks} of={send} isPending={save.isPending} disabled={!isValid}>
        Save the schedule
      </FormEnd>
    </form>
  );
}

/** The schedule that the latest pings look like, to be taken by a click. */
function Suggested({
  projectId,
  check,
  draft,
  change,
}: Omit<CheckDialogProps, 'close'> & {
  readonly draft: ScheduleDraft;
  readonly change: (draft: ScheduleDraft) => void;
}) {
  const { data } = useQuery(diagnosisQuery(projectId, check.uuid, check));
  const suggestion = data?.suggestion;
  if (suggestion === undefined) return null;
  const { schedule, tz, of } = suggestion;
  const isTaken = draft.kind === 'cron' && draft.schedule === schedule && draft.tz === tz;
  if (isTaken) return null;
  return (
    <div className="cl-strip cl-row">
      <span>
        From the last {of} pings this looks like <span className="cl-mono">{schedule}</span> {tz}.
      </span>
      <Button size="xs" variant="default" onClick={() => change({ ...draft, kind: 'cron', schedule, tz })}>
        Use this schedule
      </Button>
    </div>
  );
}

/** Deletes the check after its name is typed. */
export function DeleteDialog({ projectId, check, close }: CheckDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmForm
      label="Delete the check"
      typeFirst={check.name || check.slug || 'unnamed'}
      act={() => projectApi(projectId).deleteCheck({ params: { id: check.uuid } })}
      done={async () => {
        await navigate({ to: '/projects/$projectId', params: { projectId } });
        forgetResource(queries, checkResource(projectId, check.uuid));
      }}
      changes={[projectResource(projectId)]}
      close={close}
    >
      <p>Its pings and its history are deleted with it. The job that pings it gets 404 from then on.</p>
    </ConfirmForm>
  );
}

/** Deletes the history of the check. */
export function ClearDialog({ projectId, check, close }: CheckDialogProps) {
  return (
    <ConfirmForm
      label="Clear the history"
      act={() => api.clearCheck({ params: { projectId, checkId: check.uuid } })}
      changes={[projectResource(projectId)]}
      close={close}
    >
      <p>
        Its pings, its downtimes and the list of its alerts are deleted. The check is then new and waits for a
        ping. This cannot be undone.
      </p>
    </ConfirmForm>
  );
}

/** Moves the check to another project in which the user may change checks. */
export function MoveDialog({ projectId, check }: CheckDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [chosen, choose] = useState<string>();
  const projects = useQuery({
    ...queryOptions(api.listProjects),
    select: ({ projects: all }) => all,
  });
  const send = (to: typeof api, target: string) =>
    to.moveCheck({ params: { projectId, checkId: check.uuid }, body: { projectId: target } });
  const move = useMutation({
    mutationFn: (target: string) => send(api, target),
    meta: { changes: [projectsResource] },
    onSuccess: async ({ body }) => {
      const params = { projectId: body.projectId, checkId: body.id };
      await navigate({ to: '/projects/$projectId/checks/$checkId', params });
      forgetResource(queries, checkResource(projectId, check.uuid));
    },
  });
  return (
    <Loaded query={projects} waiting={<WaitingLines count={3} />}>
      {(all) => {
        const targets = all.filter((one) => one.id !== projectId && mayChange(one));
        const target = chosen ?? targets[0]?.id;
        if (target === undefined) return <p>There is no other project in which you may change checks.</p>;
        return (
          <form
            className="cl-form"
            onSubmit={(event) => {
              event.preventDefault();
              move.mutate(target);
            }}
          >
            <ProjectChoice projects={targets} chosen={target} choose={choose} />
            <p>
              Its history and its ping address stay. It then notifies all integrations of that project, and
              none of this one.
            </p>
            <Fault>{move.isError ? sentenceOf(move.error) : undefined}</Fault>
            <FormEnd api={api} of={(to) => send(to, target)} isPending={move.isPending}>
              Move the check
            </FormEnd>
          </form>
        );
      }}
    </Loaded>
  );
}

function ProjectChoice({
  projects,
  chosen,
  choose,
}: {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string;
  readonly choose: (id: string) => void;
}) {
  return (
    <NativeSelect
      label="Project"
      value={chosen}
      onChange={({ currentTarget: { value } }) => choose(value)}
      data={projects.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
