import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { fieldsOf, type SettingField, type SettingsSchema, settingsFrom, typedFrom } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { Setting } from './setting.js';

/** Typed values of an integration: its name, and its settings by their paths. Secrets belong to one kind only. */
export interface IntegrationDraft {
  readonly name: string;
  readonly typed: Readonly<Record<string, string>>;
}

export const emptyDraft: IntegrationDraft = { name: '', typed: {} };

/** The fields of an integration of a kind, which begin as those of `channel`, if given, with what is typed in them. */
export function integrationForm(
  kind: ChannelKindDescription,
  draft: IntegrationDraft,
  change: (draft: IntegrationDraft) => void,
  channel?: AccountChannel,
) {
  const fields = fieldsOf(kind.schema as SettingsSchema, kind.secrets);
  const keyOf = ({ path, isSecret }: SettingField) => (isSecret ? `${kind.kind} ${path}` : path);
  const given = fields.flatMap((field) => {
    const text = draft.typed[keyOf(field)];
    // another kind may have a setting of this name with other choices
    const fits = text !== undefined && (field.kind !== 'choice' || field.choices.includes(text));
    return fits ? [[field.path, text] as const] : [];
  });
  const typed = { ...typedFrom(fields, channel?.settings ?? {}), ...Object.fromEntries(given) };
  return {
    kind,
    fields,
    paths: ['name', ...fields.map(({ path }) => `settings.${path}`)],
    name: draft.name,
    setName: (name: string) => change({ ...draft, name }),
    typed,
    setTyped: (field: SettingField, text: string) =>
      change({ ...draft, typed: { ...draft.typed, [keyOf(field)]: text } }),
    /** Paths of its secrets in the body. */
    secrets: kind.secrets.map((path) => `settings.${path}`),
    body: () => ({ name: draft.name, settings: settingsFrom(fields, typed) }),
  };
}

/** Fields of the name and the settings. */
export function IntegrationFields({
  form: { kind, fields, name, setName, typed, setTyped },
  others,
  faults,
  hasSecret = false,
}: {
  readonly form: ReturnType<typeof integrationForm>;
  /** Integrations that this one can pass messages to. */
  readonly others: readonly AccountChannel[];
  /** Sentences of the service against them, by their paths. */
  readonly faults: Readonly<Record<string, string>>;
  /** Whether secrets may be stored already. */
  readonly hasSecret?: boolean;
}) {
  return (
    <>
      <TextInput
        label="Name"
        description={`Distinguishes it from others; ${kind.label} if empty.`}
        value={name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maxLength={100}
        autoComplete="off"
      />
      {fields.map((field) => (
        <Setting
          key={field.path}
          field={field}
          value={typed[field.path] ?? ''}
          change={(value) => setTyped(field, value)}
          error={faults[`settings.${field.path}`]}
          others={others}
          hasSecret={hasSecret}
        />
      ))}
    </>
  );
}
