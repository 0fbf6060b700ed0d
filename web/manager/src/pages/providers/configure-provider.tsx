import type { Provider } from '@certloop/contracts/browser';
import { SendForm, type Settings, settingsWith, shownSettings, type Typed, useForm } from '@certloop/web-kit';
import { Modal, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { providersResource } from '../../resources.js';
import { api } from '../../service.js';
import { providerFields, providerKindLabels, withFirstChoices } from './provider-fields.js';
import { SettingsInputs } from './settings-inputs.js';

/** Returns what was typed of the settings of a provider of a kind, and what they become. */
function useSettings(kind: Provider['kind'], stored: Settings) {
  const fields = providerFields[kind];
  const [changed, setChanged] = useState<Typed>({});
  const typed = { ...withFirstChoices(fields, shownSettings(stored, fields)), ...changed };
  return {
    fields,
    typed,
    paths: fields.map(({ path }) => `config.${path}`),
    secrets: fields.filter(({ type }) => type === 'secret').map(({ path }) => `config.${path}`),
    change: (path: string, text: string) => setChanged({ ...changed, [path]: text }),
    config: () => ({ ...settingsWith(stored, fields, typed) }),
  };
}

/** Dialog with the usual settings of a provider; the others stay as they are. */
export function ConfigureProvider({
  provider,
  close,
}: {
  readonly provider: Provider;
  readonly close: () => void;
}) {
  const { fields, typed, paths, secrets, change, config } = useSettings(provider.kind, provider.config);
  const { byField, form } = useForm({
    api,
    secrets,
    send: (to) => to.setProviderConfig({ params: { id: provider.id }, body: { config: config() } }),
    fields: paths,
    changes: [providersResource],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title={`Configure ${provider.displayName}`}>
      <SendForm {...form} label="Save the configuration">
        <SettingsInputs
          fields={fields}
          stored={provider.config}
          typed={typed}
          change={change}
          faults={byField}
        />
        <p className="cl-dim">All other settings stay as they are. The API changes them too.</p>
      </SendForm>
    </Modal>
  );
}

const kinds = Object.entries(providerKindLabels).map(([value, label]) => ({ value, label }));
const isKind = (value: string): value is Provider['kind'] => Object.hasOwn(providerKindLabels, value);

/** Dialog that creates a provider, enabled and configured. What is typed stays when another kind is chosen. */
export function CreateProvider({ close }: { readonly close: () => void }) {
  const [kind, choose] = useState<Provider['kind']>('acme');
  const [names, setNames] = useState({ name: '', displayName: '' });
  const { fields, typed, paths, secrets, change, config } = useSettings(kind, {});
  const send = (to: typeof api) => {
    const { name, displayName } = names;
    const body = { kind, name, ...(displayName !== '' && { displayName }), config: config() };
    return to.createProvider({ body });
  };
  const { byField, form, sending } = useForm({
    api,
    secrets,
    send,
    fields: ['name', 'displayName', ...paths],
    changes: [providersResource],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title="Create a provider">
      <SendForm {...form} label="Create the provider">
        <NativeSelect
          label="Kind"
          value={kind}
          data={kinds}
          onChange={({ currentTarget: { value } }) => {
            if (isKind(value)) choose(value);
            // it was said of the settings of the other kind
            sending.reset();
          }}
        />
        <NameInputs names={names} change={setNames} faults={byField} />
        <SettingsInputs fields={fields} stored={{}} typed={typed} change={change} faults={byField} />
      </SendForm>
    </Modal>
  );
}

interface Names {
  readonly name: string;
  readonly displayName: string;
}

function NameInputs({
  names,
  change,
  faults,
}: {
  readonly names: Names;
  readonly change: (names: Names) => void;
  readonly faults: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <TextInput
        label="Name"
        description="Lower-case letters, digits and hyphens. Metrics and command lines show it."
        value={names.name}
        onChange={({ currentTarget: { value } }) => change({ ...names, name: value })}
        error={faults['name']}
        maxLength={32}
        required
        data-autofocus
      />
      <TextInput
        label="Name for people"
        value={names.displayName}
        onChange={({ currentTarget: { value } }) => change({ ...names, displayName: value })}
        error={faults['displayName']}
        maxLength={100}
      />
    </>
  );
}
