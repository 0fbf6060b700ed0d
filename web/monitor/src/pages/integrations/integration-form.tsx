import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { Fault, faultsOf, fieldsOf, type SettingsSchema, settingsFrom, typedFrom } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Setting } from './setting.js';

/** The name and the settings of an integration of a kind, while they are typed. They begin as those of `channel`, if given. */
export function useIntegrationForm(kind: ChannelKindDescription, channel?: AccountChannel) {
  const fields = fieldsOf(kind.schema as SettingsSchema, kind.secrets);
  const [name, setName] = useState(channel?.name ?? '');
  const [typed, setTyped] = useState(() => typedFrom(fields, channel?.settings ?? {}));
  return {
    kind,
    fields,
    name,
    setName,
    typed,
    setTyped,
    /** Paths of its secrets in the body. */
    secrets: kind.secrets.map((path) => `settings.${path}`),
    body: () => ({ name, settings: settingsFrom(fields, typed) }),
  };
}

/** Fields of the name and the settings, with what the service says against them. */
export function IntegrationFields({
  form: { kind, fields, name, setName, typed, setTyped },
  others,
  error,
  hasSecret = false,
}: {
  readonly form: ReturnType<typeof useIntegrationForm>;
  /** Integrations that this one can pass messages to. */
  readonly others: readonly AccountChannel[];
  readonly error: unknown;
  /** Whether secrets may be stored already. */
  readonly hasSecret?: boolean;
}) {
  const paths = fields.map(({ path }) => `settings.${path}`);
  const { byField, general } = faultsOf(error, ['name', ...paths]);
  return (
    <>
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
          hasSecret={hasSecret}
        />
      ))}
      <Fault>{general}</Fault>
    </>
  );
}
