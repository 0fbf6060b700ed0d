import type { AllowedNames } from '@certloop/contracts/browser';
import { Fault } from '@certloop/web-kit';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { CheckLine } from '../../limits/check-line.js';
import { NameLists } from '../../limits/name-lists.js';
import { useProviders } from '../../providers.js';
import type { ClientDraft } from './client-draft.js';

/** Members of the body that have a field of their own. */
export const clientFields = [
  'name',
  'names.names',
  'names.suffixes',
  'names.cidrs',
  'names',
  'providerId',
  'allowedCidrs',
  'expiresAt',
  'maxOrdersPerDay',
  'maxAccounts',
] as const;

interface FieldsProps {
  readonly draft: ClientDraft;
  readonly set: (part: Partial<ClientDraft>) => void;
  readonly faults: Readonly<Record<string, string | undefined>>;
}

/** Fields of an ACME client that is created or edited in a space whose policy allows these names; null is all. */
export function ClientFields({ allowed, ...props }: FieldsProps & { readonly allowed: AllowedNames | null }) {
  const { draft, set, faults } = props;
  return (
    <>
      <TextInput
        label="Name"
        description="The machine or the cluster that uses it, for example web-7."
        value={draft.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        error={faults['name']}
        maxLength={64}
        required
        data-autofocus
      />
      <Names allowed={allowed} {...props} />
      <ProviderField {...props} />
      <CheckLine
        label="Add new names to the space"
        detail="Otherwise, the space must have the name of an order already."
        isOn={draft.createFqdns}
        change={(createFqdns) => set({ createFqdns })}
      />
      <CheckLine
        label="May take names over"
        detail="It may order for names that have a CSR, a renewal or a certificate of a person or an API token."
        isOn={draft.mayTakeOver}
        change={(mayTakeOver) => set({ mayTakeOver })}
      />
      <details>
        <summary>Limits</summary>
        <div className="cl-form">
          <Limits {...props} />
        </div>
      </details>
    </>
  );
}

function Names({ draft, set, faults, allowed }: FieldsProps & { readonly allowed: AllowedNames | null }) {
  return (
    <>
      <CheckLine
        label="Limit the names"
        detail={allowed === null ? 'Needed, since the space may have every name.' : policyText(allowed)}
        isOn={draft.limitsNames}
        change={(limitsNames) => set({ limitsNames })}
      />
      {draft.limitsNames && (
        <>
          <NameLists texts={draft} set={set} faultOf={(list) => faults[`names.${list}`]} />
          <CheckLine
            label="Allow wildcards"
            detail="Such as *.shop.example.com, at or below a domain of the list."
            isOn={draft.wildcards}
            change={(wildcards) => set({ wildcards })}
          />
        </>
      )}
      <Fault>{faults['names']}</Fault>
    </>
  );
}

/** Says which names the policy of the space allows. */
function policyText({ suffixes, names, wildcards }: AllowedNames): string {
  const all = [...suffixes.map((suffix) => `${suffix} and all names below it`), ...names];
  const shown = all.slice(0, maxNamed).join(', ');
  const more = all.length > maxNamed ? `, and ${all.length - maxNamed} more` : '';
  const stars = wildcards ? ', with wildcards' : '';
  return `Otherwise, it may have all names of the issuance policy: ${shown === '' ? 'none' : shown}${more}${stars}.`;
}

const maxNamed = 4;

function ProviderField({ draft, set, faults }: FieldsProps) {
  const providers = useProviders().data ?? [];
  return (
    <NativeSelect
      label="Provider"
      description="It issues the certificates that the client orders."
      value={draft.providerId}
      onChange={({ currentTarget: { value } }) => set({ providerId: value })}
      data={[
        { value: '', label: 'That of the name, else ACME' },
        ...providers.map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      error={faults['providerId']}
    />
  );
}

function Limits({ draft, set, faults }: FieldsProps) {
  return (
    <>
      <Textarea
        label="Addresses"
        description="Where it may come from, such as 10.0.0.0/8. One a line; without one, from anywhere."
        value={draft.allowedCidrs}
        onChange={({ currentTarget: { value } }) => set({ allowedCidrs: value })}
        error={faults['allowedCidrs']}
        minRows={1}
        maxRows={6}
        autosize
        spellCheck={false}
        classNames={{ input: 'cl-mono' }}
      />
      <TextInput
        type="date"
        label="Expires"
        description="From the beginning of this day (UTC), its orders are refused. Empty: never."
        value={draft.expires}
        onChange={({ currentTarget: { value } }) => set({ expires: value })}
        error={faults['expiresAt']}
      />
      <TextInput
        type="number"
        label="Orders a day"
        description="Renewals that the client announces as such do not count."
        value={draft.maxOrdersPerDay}
        onChange={({ currentTarget: { value } }) => set({ maxOrdersPerDay: value })}
        error={faults['maxOrdersPerDay']}
        min={1}
        max={100_000}
        required
      />
      <TextInput
        type="number"
        label="Accounts"
        description="How many were seen in 90 days. Containers without storage register one at each start."
        value={draft.maxAccounts}
        onChange={({ currentTarget: { value } }) => set({ maxAccounts: value })}
        error={faults['maxAccounts']}
        min={1}
        max={10_000}
        required
      />
    </>
  );
}
