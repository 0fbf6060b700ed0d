import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { Fault, faultsOf, fieldsOf, Loaded, type SettingsSchema, settingsFrom } from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { kindsQuery } from '../../lookups.js';
import { api } from '../../service.js';
import { Setting } from './setting.js';

interface Opened {
  readonly projectId: string;
  readonly others: readonly AccountChannel[];
  readonly close: () => void;
}

/** Dialog that adds an integration, with a test before it is saved. */
export function NewIntegration({ isOpen, ...opened }: Opened & { readonly isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={opened.close} title="Add an integration" size="lg">
      {isOpen && <ChooseKind {...opened} />}
    </Modal>
  );
}

function ChooseKind(opened: Opened) {
  const [chosen, choose] = useState('email');
  const kinds = useQuery(kindsQuery);
  return (
    <Loaded query={kinds}>
      {(all) => {
        const kind = all.find((one) => one.kind === chosen) ?? all[0];
        if (kind === undefined) return null;
        return (
          <div className="cl-form">
            <label className="cl-stack">
              Kind
              <select
                className="cl-select"
                value={kind.kind}
                onChange={({ currentTarget: { value } }) => choose(value)}
              >
                {all.map((one) => (
                  <option key={one.kind} value={one.kind} disabled={one.missing !== undefined}>
                    {one.label}
                    {one.missing === undefined ? '' : ' (not set up by the operator)'}
                  </option>
                ))}
              </select>
            </label>
            <KindForm key={kind.kind} kind={kind} {...opened} />
          </div>
        );
      }}
    </Loaded>
  );
}

function KindForm({ kind, projectId, others, close }: Opened & { readonly kind: ChannelKindDescription }) {
  const queries = useQueryClient();
  const fields = fieldsOf(kind.schema as SettingsSchema, kind.secrets);
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ path, initial }) => [path, initial])),
  );
  const body = () => ({ kind: kind.kind, name, settings: settingsFrom(fields, typed) });
  const params = { projectId };
  const test = useMutation({ mutationFn: () => api.tryChannel({ params, body: body() }) });
  const save = useMutation({
    mutationFn: () => api.createChannel({ params, body: body() }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  const outcome = test.data?.body;
  const { byField, general } = faultsOf(save.error ?? test.error, [
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
      {kind.missing !== undefined && (
        <p className="cl-strip">The operator of the service has not set this kind up: {kind.missing}</p>
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
          others={others}
        />
      ))}
      <Fault>{general}</Fault>
      {outcome !== undefined && !test.isPending && (
        <p className={outcome.ok ? 'cl-result' : 'cl-fault'} role="status">
          {outcome.ok
            ? `The test message was sent in ${outcome.durationMs} ms.`
            : `Not sent: ${outcome.error}`}
        </p>
      )}
      <div className="cl-row">
        <Button type="submit" loading={save.isPending}>
          Save and assign to all checks
        </Button>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Button>
      </div>
    </form>
  );
}
