import type { Check } from '@certloop/contracts/browser';
import {
  ConfirmForm,
  forgetResource,
  Loaded,
  queryOptions,
  SendForm,
  useForm,
  WaitingLines,
} from '@certloop/web-kit';
import { Button, NativeSelect } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
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
  const { byField, form } = useForm({
    api: projectApi(projectId),
    send: (to) => to.updateCheck({ params: { id: check.uuid }, body: scheduleBody(draft) }),
    fields: scheduleFields,
    changes: [projectResource(projectId)],
    onSuccess: close,
  });
  return (
    <SendForm {...form} label="Save the schedule" disabled={!isValid}>
      <Suggested projectId={projectId} check={check} draft={draft} change={setDraft} />
      <ScheduleForm draft={draft} change={setDraft} preview={preview} error={error} refused={byField} />
    </SendForm>
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
  const navigate = useNavigate();
  return (
    <ConfirmForm
      label="Delete the check"
      typeFirst={check.name || check.slug || 'unnamed'}
      act={() => projectApi(projectId).deleteCheck({ params: { id: check.uuid } })}
      done={() => navigate({ to: '/projects/$projectId', params: { projectId } })}
      deletes={checkResource(projectId, check.uuid)}
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
export function MoveDialog({ projectId, check, close }: CheckDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const projects = useQuery({
    ...queryOptions(api.listProjects),
    select: ({ projects: all }) => all.filter((one) => one.id !== projectId && mayChange(one)),
  });
  const { form } = useForm({
    api,
    send: (to, chosen) =>
      to.moveCheck({
        params: { projectId, checkId: check.uuid },
        body: { projectId: String(new FormData(chosen).get('projectId')) },
      }),
    changes: [projectsResource],
    onSuccess: async ({ body }) => {
      close();
      const params = { projectId: body.projectId, checkId: body.id };
      await navigate({ to: '/projects/$projectId/checks/$checkId', params });
      forgetResource(queries, checkResource(projectId, check.uuid));
    },
  });
  return (
    <Loaded query={projects} waiting={<WaitingLines count={3} />}>
      {(targets) =>
        targets.length === 0 ? (
          <p>There is no other project in which you may change checks.</p>
        ) : (
          <SendForm {...form} label="Move the check">
            <NativeSelect
              name="projectId"
              label="Project"
              data={targets.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <p>
              Its history and its ping address stay. It then notifies all integrations of that project, and
              none of this one.
            </p>
          </SendForm>
        )
      }
    </Loaded>
  );
}
