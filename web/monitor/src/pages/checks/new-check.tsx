import { SendForm, useForm } from '@certloop/web-kit';
import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { channelsQuery } from '../../lookups.js';
import { projectResource } from '../../resources.js';
import { draftOf, ScheduleForm, scheduleBody, scheduleFields, usePreview } from '../../schedule-form.js';
import { projectApi } from '../../service.js';

/** Dialog that creates a check, and leads to its page, where it waits for the first ping. */
export function NewCheck({
  projectId,
  isOpen,
  close,
}: {
  readonly projectId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={close} title="New check" size="lg">
      {isOpen && <NewCheckForm projectId={projectId} close={close} />}
    </Modal>
  );
}

function NewCheckForm({ projectId, close }: { readonly projectId: string; readonly close: () => void }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf());
  const { preview, error, isValid } = usePreview(draft);
  const channels = useQuery(channelsQuery(projectId)).data;
  const checks = projectApi(projectId);
  const send = (to: typeof checks, form: HTMLFormElement) => {
    const data = new FormData(form);
    const texts = { name: String(data.get('name')).trim(), tags: String(data.get('tags')).trim() };
    return to.createCheck({ body: { ...texts, ...scheduleBody(draft), channels: '*' } });
  };
  const { byField, form } = useForm({
    api: checks,
    send,
    fields: ['name', 'tags', ...scheduleFields],
    changes: [projectResource(projectId)],
    onSuccess: async ({ body }) => {
      close();
      const checkId = body.uuid;
      await navigate({ to: '/projects/$projectId/checks/$checkId', params: { projectId, checkId } });
    },
  });
  return (
    <SendForm {...form} label="Create the check" disabled={!isValid}>
      <TextInput
        name="name"
        label="Name"
        description="For example Nightly backup."
        error={byField['name']}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        name="tags"
        label="Tags"
        description="Words between blanks, to group checks and their badges."
        error={byField['tags']}
        maxLength={500}
        autoComplete="off"
      />
      <ScheduleForm draft={draft} change={setDraft} preview={preview} error={error} refused={byField} />
      <p className="cl-dim">
        {channels?.length === 0
          ? 'The project has no integration yet, so the check alerts no one.'
          : 'All integrations of the project get its alerts.'}
      </p>
    </SendForm>
  );
}
