import { type Settings, settingAt, type Typed } from '@certloop/web-kit';
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { ProviderField } from './provider-fields.js';

/** The fields of a provider that have a meaning beside what was typed, each with the fault that was found with it. */
export function SettingsInputs({
  fields,
  stored,
  typed,
  change,
  faults,
}: {
  readonly fields: readonly ProviderField[];
  readonly stored: Settings;
  readonly typed: Typed;
  readonly change: (path: string, text: string) => void;
  /** By `config.` and the path. */
  readonly faults: Readonly<Record<string, string>>;
}) {
  return fields
    .filter(({ isUsed }) => isUsed?.(typed) !== false)
    .map((field) => (
      <Input
        key={field.path}
        field={field}
        hasSecret={settingAt(stored, field.path) !== undefined}
        text={typed[field.path] ?? ''}
        change={(text) => change(field.path, text)}
        error={faults[`config.${field.path}`]}
      />
    ));
}

function Input({
  field: { label, description, type, isRequired = false, choices = [] },
  hasSecret,
  text,
  change,
  error,
}: {
  readonly field: ProviderField;
  readonly hasSecret: boolean;
  readonly text: string;
  readonly change: (text: string) => void;
  readonly error: string | undefined;
}) {
  const shared = { label, error, required: isRequired };
  if (type === 'flag') {
    return (
      <Checkbox
        {...shared}
        size="md"
        checked={text === 'true'}
        onChange={({ currentTarget: { checked } }) => change(checked ? 'true' : '')}
      />
    );
  }
  const onChange = ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
    change(value);
  const input = { ...shared, value: text, onChange, autoComplete: 'off' };
  if (type === 'choice') return <NativeSelect {...input} data={[...choices]} />;
  if (type === 'secret') {
    const hint = hasSecret ? 'One is set. Leave this empty to use it further.' : 'None is set.';
    return (
      <PasswordInput {...input} aria-invalid={error !== undefined} description={hint} maxLength={4_000} />
    );
  }
  return (
    <TextInput
      {...input}
      description={description}
      type={type === 'number' ? 'number' : 'text'}
      maxLength={2_000}
    />
  );
}
