import type { Check, CheckUpdate } from '@certloop/contracts/browser';
import { Drawer, Fault, sendPing, sentenceOf, useCountdown } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { projectResource } from '../../resources.js';
import { projectApi } from '../../service.js';
import {
  type CheckDialogProps,
  ClearDialog,
  DeleteDialog,
  MoveDialog,
  ScheduleDialog,
} from './check-dialogs.js';
import { EditDialog } from './edit-check.js';

const dialogs = {
  edit: ['Edit the check', EditDialog],
  move: ['Move to another project', MoveDialog],
  clear: ['Clear the history?', ClearDialog],
  delete: ['Delete the check?', DeleteDialog],
} as const satisfies Record<string, readonly [title: string, Dialog: ComponentType<CheckDialogProps>]>;
type DialogName = keyof typeof dialogs | 'schedule';

const buttons = [
  ['schedule', 'Change the schedule'],
  ['edit', 'Edit'],
  ['move', 'Move'],
  ['clear', 'Clear'],
] as const satisfies readonly (readonly [DialogName, string])[];

type Action = 'ping' | 'pause' | 'resume';

/** How long a pause can be undone by the strip below the buttons. */
const undoSeconds = 8;

/** Buttons and dialogs by which a member acts on a check. */
export function CheckActions({ projectId, check }: { readonly projectId: string; readonly check: Check }) {
  const [dialog, open] = useState<DialogName>();
  const { act, left } = useAction(projectId, check);
  const copy = useCopy(projectId, check);
  const isPaused = check.status === 'paused';
  const button = (action: Action, label: string) => (
    <Button
      variant="default"
      loading={act.isPending && act.variables === action}
      onClick={() => act.mutate(action)}
    >
      {label}
    </Button>
  );
  const [title, Dialog] = dialog === undefined || dialog === 'schedule' ? ['', undefined] : dialogs[dialog];
  const close = () => open(undefined);
  return (
    <>
      <div className="cl-row">
        {button('ping', 'Send a ping now')}
        {isPaused ? button('resume', 'Resume') : button('pause', 'Pause')}
        {buttons.map(([name, label]) => (
          <Button key={name} variant="default" onClick={() => open(name)}>
            {label}
          </Button>
        ))}
        <Button variant="default" loading={copy.isPending} onClick={() => copy.mutate()}>
          Copy
        </Button>
        <Button variant="subtle" color="red" onClick={() => open('delete')}>
          Delete
        </Button>
      </div>
      {isPaused && left > 0 && (
        <div className="cl-strip cl-row" role="status">
          <span>Paused: no alerts until a ping arrives or someone resumes it.</span>
          <Button size="xs" variant="default" onClick={() => act.mutate('resume')}>
            Undo
          </Button>
        </div>
      )}
      <Fault>{errorOf(act.error ?? copy.error)}</Fault>
      {/* what the check did stays in view while its schedule changes */}
      <Drawer title="Change the schedule" isOpen={dialog === 'schedule'} close={close}>
        <ScheduleDialog projectId={projectId} check={check} close={close} />
      </Drawer>
      <Modal opened={Dialog !== undefined} onClose={close} title={title} size="lg">
        {Dialog !== undefined && <Dialog projectId={projectId} check={check} close={close} />}
      </Modal>
    </>
  );
}

/** Sends a ping, pauses or resumes. `left` are the seconds in which the latest pause can be undone. */
function useAction(projectId: string, check: Check) {
  const [pauses, setPauses] = useState(0);
  const left = useCountdown(pauses === 0 ? undefined : undoSeconds, pauses);
  const params = { id: check.uuid };
  const act = useMutation({
    mutationFn: (action: Action): Promise<unknown> => {
      if (action === 'ping') return sendPing(check.uuid);
      return action === 'pause'
        ? projectApi(projectId).pauseCheck({ params })
        : projectApi(projectId).resumeCheck({ params });
    },
    onSuccess: (_answer, action) => setPauses(action === 'pause' ? pauses + 1 : 0),
    meta: { changes: [projectResource(projectId)] },
  });
  return { act, left };
}

/** Creates a check with the settings of this one, and opens it. */
function useCopy(projectId: string, check: Check) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => projectApi(projectId).createCheck({ body: copyOf(check) }),
    meta: { changes: [projectResource(projectId)] },
    onSuccess: async ({ body }) => {
      const checkId = body.uuid;
      await navigate({ to: '/projects/$projectId/checks/$checkId', params: { projectId, checkId } });
    },
  });
}

function errorOf(error: unknown): string | undefined {
  return error === null ? undefined : sentenceOf(error);
}

/** Settings that are copied apart from the schedule; the filters include the old pair of keywords. */
type Copied = Exclude<
  keyof CheckUpdate & keyof Check,
  'slug' | 'timeout' | 'schedule' | 'tz' | 'subject' | 'subject_fail'
>;

/** Parameters of a new check with the settings of this one. A slug is unique, so that of the copy is empty. */
function copyOf(check: Check) {
  const { tags, desc, grace, timeout, schedule, tz, manual_resume, methods, channels } = check;
  const { start_kw, success_kw, failure_kw } = check;
  const { filter_subject, filter_body, filter_http_body, filter_default_fail } = check;
  return {
    name: `${check.name} (copy)`.trim().slice(0, 100),
    tags,
    desc,
    grace,
    manual_resume,
    methods,
    channels,
    start_kw,
    success_kw,
    failure_kw,
    filter_subject,
    filter_body,
    filter_http_body,
    filter_default_fail,
    ...(timeout === undefined ? { schedule: schedule ?? '', tz: tz ?? 'UTC' } : { timeout }),
  } satisfies Record<Copied, unknown>;
}
