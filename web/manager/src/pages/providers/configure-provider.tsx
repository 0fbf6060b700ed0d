import type { Provider } from '@certloop/contracts/browser';
import {
  Fault,
  FormEnd,
  faultsOf,
  type Settings,
  settingsWith,
  shownSettings,
  type Typed,
} from '@certloop/web-kit';
import { Modal, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
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
  const send = (to: typeof api) =>
    to.setProviderConfig({ params: { id: provider.id }, body: { config: config() } });
  const save = useMutation({
    mutationFn: () => send(api),
    meta: { changes: [providersResource] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(save.error, paths);
  return (
    <Modal opened onClose={close} title={`Configure ${provider.displayName}`}>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <SettingsInputs
          fields={fields}
          stored={provider.config}
          typed={typed}
          change={change}
          faults={byField}
        />
        <p className="cl-dim">All other settings stay as they are. The API changes them too.</p>
        <Fault>{general}</Fault>
        <FormEnd api={api} of={send} secrets={secrets} isPending={save.isPending}>
          Save the configuration
        </FormEnd>
      </form>
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
  const create = useMutation({
    mutationFn: () => send(api),
    meta: { changes: [providersResource] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(create.error, ['name', 'displayName', ...paths]);
  return (
    <Modal opened onClose={close} title="Create a provider">
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <NativeSelect
          label="Kind"
          value={kind}
          data={kinds}
          onChange={({ currentTarget: { value } }) => {
            if (isKind(value)) choose(value);
            // it was said of the settings of the other kind
            create.reset();
          }}
        />
        <NameInputs names={names} change={setNames} faults={byField} />
        <SettingsInputs fields={fields} stored={{}} typed={typed} change={change} faults={byField} />
        <Fault>{general}</Fault>
        <FormEnd api={api} of={send} secrets={secrets} isPending={create.isPending}>
          Create the provider
        </FormEnd>
      </form>
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
        withAsterisk={false}
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
