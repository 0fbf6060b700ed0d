import type { AccountChannel } from '@certloop/contracts/browser';
import { Fault, type SettingField, settingLabel } from '@certloop/web-kit';
import { Switch, Textarea, TextInput } from '@mantine/core';

interface SettingProps {
  readonly field: SettingField;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly others: readonly AccountChannel[];
  readonly error?: string | undefined;
  /** Whether a secret may be stored, which is not shown and stays if nothing is typed. */
  readonly hasSecret?: boolean;
}

/** A setting of an integration, as its kind describes it. */
export function Setting(props: SettingProps) {
  const { field } = props;
  switch (field.kind) {
    case 'flag':
      return <Flag {...props} />;
    case 'choice':
      return <ChoiceOf {...props} choices={field.choices} />;
    case 'list':
      return <Integrations {...props} />;
    default:
      return <Text {...props} />;
  }
}

function Flag({ field, value, change, error }: SettingProps) {
  return (
    <Switch
      label={settingLabel(field.path)}
      error={error}
      checked={value === 'true'}
      onChange={({ currentTarget: { checked } }) => change(String(checked))}
    />
  );
}

function ChoiceOf({
  field,
  value,
  change,
  error,
  choices,
}: SettingProps & { readonly choices: readonly string[] }) {
  return (
    <label className="cl-stack">
      {settingLabel(field.path)}
      <select
        className="cl-select"
        value={value}
        onChange={({ currentTarget: { value: chosen } }) => change(chosen)}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
      <Fault>{error}</Fault>
    </label>
  );
}

/** Which other integrations a group notifies; their ids with commas between. */
function Integrations({ field, value, change, others, error }: SettingProps) {
  const chosen = value.split(',').filter((id) => id !== '');
  return (
    <fieldset className="cl-choices">
      <legend>{settingLabel(field.path)}</legend>
      <Fault>{error}</Fault>
      {others
        .filter(({ kind }) => kind !== 'group')
        .map(({ id, name, label: kindLabel }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget: { checked } }) =>
                change((checked ? [...chosen, id] : chosen.filter((one) => one !== id)).join(','))
              }
            />
            {name || kindLabel}
          </label>
        ))}
    </fieldset>
  );
}

function Text({ field, value, change, error, hasSecret = false }: SettingProps) {
  const isHidden = hasSecret && field.isSecret;
  const shared = {
    label: settingLabel(field.path),
    value,
    error,
    required: field.isRequired && !isHidden,
    description: isHidden ? 'Not shown. Leave it empty to keep what is stored.' : undefined,
    autoComplete: 'off',
    spellCheck: false,
  };
  return field.kind === 'headers' || field.path.endsWith('body') ? (
    <Textarea
      {...shared}
      rows={2}
      maxLength={4_000}
      onChange={({ currentTarget: { value: text } }) => change(text)}
    />
  ) : (
    <TextInput
      {...shared}
      inputMode={field.kind === 'number' ? 'numeric' : 'text'}
      maxLength={1_000}
      onChange={({ currentTarget: { value: text } }) => change(text)}
    />
  );
}
