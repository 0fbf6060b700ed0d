import type { Provider } from '@certloop/contracts/browser';
import { Fault, faultsOf } from '@certloop/web-kit';
import { Button, Checkbox, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../service.js';

type Config = Readonly<Record<string, unknown>>;

interface Field {
  /** Dotted path in the configuration. */
  readonly path: string;
  readonly label: string;
  readonly description?: string;
  readonly type?: 'number' | 'secret' | 'agreed' | 'list';
  readonly isRequired?: boolean;
}

const fieldsByKind: Readonly<Record<Provider['kind'], readonly Field[]>> = {
  'dummy-ca': [
    { path: 'baseUrl', label: 'Address', description: 'For example http://127.0.0.1:3002', isRequired: true },
    { path: 'validityDays', label: 'Days until a certificate expires', type: 'number' },
  ],
  acme: [
    {
      path: 'directoryUrl',
      label: 'Address of the directory',
      description: 'For example https://acme-v02.api.letsencrypt.org/directory',
      isRequired: true,
    },
    {
      path: 'contactEmails',
      label: 'E-mail addresses for the CA',
      description: 'Separated by commas.',
      type: 'list',
    },
    { path: 'eab.kid', label: 'Key id of the external account', description: 'Only if the CA gave you one.' },
    { path: 'eab.hmacKey', label: 'Key of the external account', type: 'secret' },
    { path: 'termsOfServiceAgreed', label: 'I agree to the terms of service of the CA', type: 'agreed' },
  ],
};

/** Dialog with the usual settings of a provider; the others stay as they are. */
export function ConfigureProvider({
  provider,
  close,
}: {
  readonly provider: Provider;
  readonly close: () => void;
}) {
  const queries = useQueryClient();
  const fields = fieldsByKind[provider.kind];
  const save = useMutation({
    mutationFn: (config: Config) =>
      api.setProviderConfig({ params: { id: provider.id }, body: { config: { ...config } } }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['providers'] });
    },
  });
  const { byField, general } = faultsOf(
    save.error,
    fields.map(({ path }) => `config.${path}`),
  );
  return (
    <Modal opened onClose={close} title={`Configure ${provider.displayName}`}>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(changedConfig(provider.config, fields, new FormData(event.currentTarget)));
        }}
      >
        {fields.map((field) => (
          <Input
            key={field.path}
            field={field}
            value={valueAt(provider.config, field.path)}
            error={byField[`config.${field.path}`]}
          />
        ))}
        <p className="cl-dim">All other settings stay as they are. The API changes them too.</p>
        <Fault>{general}</Fault>
        <Button type="submit" loading={save.isPending}>
          Save the configuration
        </Button>
      </form>
    </Modal>
  );
}

function Input({
  field: { path, label, description, type, isRequired = false },
  value,
  error,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly error: string | undefined;
}) {
  const shared = { name: path, label, error };
  if (type === 'agreed') return <Checkbox {...shared} size="md" defaultChecked={value === true} required />;
  if (type === 'secret') {
    const hint = value === undefined ? 'None is set.' : 'One is set. Leave this empty to use it further.';
    return <PasswordInput {...shared} description={hint} autoComplete="off" maxLength={1_000} />;
  }
  return (
    <TextInput
      {...shared}
      description={description}
      type={type === 'number' ? 'number' : 'text'}
      defaultValue={textOf(value)}
      autoComplete="off"
      maxLength={2_000}
      required={isRequired}
      withAsterisk={false}
    />
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function valueAt(config: Config, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return typeof value === 'object' && value !== null ? (value as Config)[key] : undefined;
  }, config);
}

/** The configuration with what was typed; an empty field leaves its setting out, and an empty secret as it is. */
function changedConfig(before: Config, fields: readonly Field[], data: FormData): Config {
  const config: Record<string, unknown> = { ...before };
  for (const { path, type } of fields) {
    const text = String(data.get(path) ?? '').trim();
    if (type === 'secret' && text === '') continue;
    const [first = '', second] = path.split('.');
    if (second === undefined) config[first] = typedValue(type, text);
    else config[first] = { ...(config[first] as Config | undefined), [second]: typedValue(type, text) };
  }
  // an external account without an id is none
  if (valueAt(config, 'eab.kid') === undefined) delete config['eab'];
  return config;
}

function typedValue(type: Field['type'], text: string): unknown {
  if (type === 'agreed') return text !== '';
  if (type === 'list') return text === '' ? [] : text.split(/[\s,;]+/);
  if (text === '') return undefined;
  return type === 'number' ? Number(text) : text;
}
