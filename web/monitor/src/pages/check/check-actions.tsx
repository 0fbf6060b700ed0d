import type { Check } from '@certloop/contracts/browser';
import { Fault, Icon, sendPing, sentenceOf } from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { draftOf, ScheduleForm, scheduleBody, usePreview } from '../../schedule-form.js';
import { projectApi } from '../../service.js';

type Dialog = 'schedule' | 'delete' | undefined;

/** What a member does with a check. */
export function CheckActions({ projectId, check }: { readonly projectId: string; readonly check: Check }) {
  const queries = useQueryClient();
  const [dialog, open] = useState<Dialog>();
  const refresh = () => queries.invalidateQueries({ queryKey: ['projects', projectId] });
  const params = { id: check.uuid };
  const act = useMutation({
    mutationFn: (action: 'ping' | 'pause' | 'resume'): Promise<unknown> => {
      if (action === 'ping') return sendPing(check.uuid);
      return action === 'pause'
        ? projectApi(projectId).pauseCheck({ params })
        : projectApi(projectId).resumeCheck({ params });
    },
    onSettled: refresh,
  });
  const isPaused = check.status === 'paused';
  const button = (action: 'ping' | 'pause' | 'resume', label: string) => (
    <Button
      variant="default"
      loading={act.isPending && act.variables === action}
      onClick={() => act.mutate(action)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <div className="cl-row">
        {button('ping', 'Send a ping now')}
        {isPaused ? button('resume', 'Resume') : button('pause', 'Pause')}
        <Button variant="default" leftSection={<Icon name="clock" />} onClick={() => open('schedule')}>
          Change the schedule
        </Button>
        <Button variant="subtle" color="red" onClick={() => open('delete')}>
          Delete
        </Button>
      </div>
      <Fault>{act.isError ? sentenceOf(act.error) : undefined}</Fault>
      <Modal
        opened={dialog === 'schedule'}
        onClose={() => open(undefined)}
        title="Change the schedule"
        size="lg"
      >
        {dialog === 'schedule' && (
          <ScheduleDialog projectId={projectId} check={check} close={() => open(undefined)} />
        )}
      </Modal>
      <Modal opened={dialog === 'delete'} onClose={() => open(undefined)} title="Delete the check?">
        {dialog === 'delete' && <DeleteDialog projectId={projectId} check={check} />}
      </Modal>
    </>
  );
}

function ScheduleDialog({
  projectId,
  check,
  close,
}: {
  readonly projectId: string;
  readonly check: Check;
  readonly close: () => void;
}) {
  const queries = useQueryClient();
  const isCron = check.schedule?.trim().split(/\s+/).length === 5;
  const kind = check.timeout === undefined ? (isCron ? 'cron' : 'oncalendar') : 'simple';
  const [draft, setDraft] = useState(() => draftOf({ ...check, kind }));
  const { preview, error, isValid } = usePreview(draft);
  const save = useMutation({
    mutationFn: () =>
      projectApi(projectId).updateCheck({ params: { id: check.uuid }, body: scheduleBody(draft) }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <ScheduleForm draft={draft} change={setDraft} preview={preview} error={error} />
      <Fault>{save.isError ? sentenceOf(save.error) : undefined}</Fault>
      <Button type="submit" loading={save.isPending} disabled={!isValid}>
        Save the schedule
      </Button>
    </form>
  );
}

function DeleteDialog({ projectId, check }: { readonly projectId: string; readonly check: Check }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, type] = useState('');
  const name = check.name || check.slug || 'unnamed';
  const remove = useMutation({
    mutationFn: () => projectApi(projectId).deleteCheck({ params: { id: check.uuid } }),
    onSuccess: async () => {
      await navigate({ to: '/projects/$projectId', params: { projectId } });
      queries.removeQueries({ queryKey: ['projects', projectId, 'check', check.uuid] });
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate();
      }}
    >
      <p>Its pings and its history are deleted with it. The job that pings it gets 404 from then on.</p>
      <TextInput
        label={`Type its name to confirm: ${name}`}
        value={typed}
        onChange={({ currentTarget: { value } }) => type(value)}
        autoComplete="off"
        data-autofocus
      />
      <Fault>{remove.isError ? sentenceOf(remove.error) : undefined}</Fault>
      <Button type="submit" color="red" loading={remove.isPending} disabled={typed.trim() !== name.trim()}>
        Delete the check
      </Button>
    </form>
  );
}
