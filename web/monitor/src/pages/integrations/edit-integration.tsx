import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import {
  Fault,
  faultsOf,
  fieldsOf,
  Loaded,
  type SettingsSchema,
  settingsFrom,
  typedFrom,
} from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { kindsQuery } from '../../lookups.js';
import { api } from '../../service.js';
import { nameOf } from './integration-columns.js';
import { Setting } from './setting.js';

interface Opened {
  readonly projectId: string;
  readonly channel: AccountChannel;
  readonly others: readonly AccountChannel[];
  readonly close: () => void;
}

/** Dialog that edits an integration. Saving switches it on again. */
export function EditIntegration(opened: Opened) {
  const kinds = useQuery(kindsQuery);
  const { channel, close } = opened;
  return (
    <Modal opened onClose={close} title={`Edit ${nameOf(channel)}`} size="lg">
      <Loaded query={kinds}>
        {(all) => {
          const kind = all.find((one) => one.kind === channel.kind);
          return kind === undefined ? (
            <p>This version of the service does not know integrations of this kind. You can delete it.</p>
          ) : (
            <EditForm kind={kind} {...opened} />
          );
        }}
      </Loaded>
    </Modal>
  );
}

function EditForm({
  kind,
  projectId,
  channel,
  others,
  close,
}: Opened & { readonly kind: ChannelKindDescription }) {
  const queries = useQueryClient();
  const fields = fieldsOf(kind.schema as SettingsSchema, kind.secrets);
  const [name, setName] = useState(channel.name);
  const [typed, setTyped] = useState(() => typedFrom(fields, channel.settings));
  const save = useMutation({
    mutationFn: () =>
      api.editChannel({
        params: { projectId, channelId: channel.id },
        body: { name, settings: settingsFrom(fields, typed) },
      }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  const { byField, general } = faultsOf(save.error, [
    'name',
    ...fields.map(({ path }) => `settings.${path}`),
  ]);
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {channel.disabled && (
        <p className="cl-strip">
          It was switched off, as its target refused the alerts for good:{' '}
          {channel.last_error || 'no reason known'}. Saving switches it on again.
        </p>
      )}
      <TextInput
        label="Name"
        description={`Distinguishes it from others; ${kind.label} if empty.`}
        value={name}
        error={byField['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maxLength={100}
        autoComplete="off"
      />
      {fields.map((field) => (
        <Setting
          key={field.path}
          field={field}
          value={typed[field.path] ?? ''}
          change={(value) => setTyped({ ...typed, [field.path]: value })}
          error={byField[`settings.${field.path}`]}
          others={others.filter(({ id }) => id !== channel.id)}
          hasSecret
        />
      ))}
      <Fault>{general}</Fault>
      <Button type="submit" loading={save.isPending}>
        {channel.disabled ? 'Save and switch on' : 'Save'}
      </Button>
    </form>
  );
}
