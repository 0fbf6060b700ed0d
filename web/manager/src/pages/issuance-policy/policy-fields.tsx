import { Fault } from '@certloop/web-kit';
import { Textarea } from '@mantine/core';
import { useProviders } from '../../providers.js';
import type { PolicyDraft } from './policy-draft.js';

interface FieldsProps {
  readonly draft: PolicyDraft;
  readonly set: (part: Partial<PolicyDraft>) => void;
  /** Returns what the service says of a field, by its name. */
  readonly faultOf: (field: string) => string | undefined;
}

const lists = [
  {
    field: 'suffixes',
    label: 'Domains',
    description: 'Each allows itself and every name below it. One a line.',
    placeholder: 'shop.example.com',
  },
  {
    field: 'names',
    label: 'Single names',
    description: 'Exactly these, also wildcards such as *.example.com. One a line.',
    placeholder: 'www.example.org',
  },
  {
    field: 'cidrs',
    label: 'Ranges of IP addresses',
    description: 'Without a range, no address is allowed. One a line.',
    placeholder: '10.0.0.0/8',
  },
] as const;

export function NameFields({ draft, set, faultOf }: FieldsProps) {
  return (
    <>
      <Check
        label="Limit the names"
        detail="Without limits, the space may have every name that no other space holds."
        isOn={draft.limitsNames}
        change={(limitsNames) => set({ limitsNames })}
      />
      {draft.limitsNames && (
        <>
          {lists.map(({ field, ...texts }) => (
            <Textarea
              key={field}
              {...texts}
              value={draft[field]}
              onChange={(event) => set({ [field]: event.currentTarget.value })}
              error={faultOf(`allowedNames.${field}`)}
              minRows={2}
              maxRows={10}
              autosize
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              classNames={{ input: 'cl-mono' }}
            />
          ))}
          <Check
            label="Allow wildcards"
            detail="Such as *.shop.example.com, at or below a domain of the list."
            isOn={draft.wildcards}
            change={(wildcards) => set({ wildcards })}
          />
          <Check
            label="Allow further names in a CSR"
            detail="Otherwise, a CSR may contain only the name that it is uploaded for."
            isOn={draft.beyondFqdn}
            change={(beyondFqdn) => set({ beyondFqdn })}
          />
        </>
      )}
    </>
  );
}

export function ProviderFields({ draft, set, faultOf }: FieldsProps) {
  const { data: providers = [] } = useProviders();
  const { limitsProviders, providerIds } = draft;
  return (
    <>
      <Check
        label="Limit the providers"
        detail="Without limits, every provider may issue."
        isOn={limitsProviders}
        change={(isOn) => set({ limitsProviders: isOn })}
      />
      {limitsProviders && (
        <fieldset className="cl-fieldset">
          <legend>Allowed providers</legend>
          {providers.map(({ id, displayName }) => (
            <Check
              key={id}
              label={displayName}
              isOn={providerIds.includes(id)}
              change={(isOn) =>
                set({ providerIds: isOn ? [...providerIds, id] : providerIds.filter((each) => each !== id) })
              }
            />
          ))}
          <Fault>{faultOf('providerIds')}</Fault>
        </fieldset>
      )}
    </>
  );
}

function Check({
  label,
  detail,
  isOn,
  change,
}: {
  readonly label: string;
  readonly detail?: string;
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
}) {
  return (
    <label className="cl-check">
      <input type="checkbox" checked={isOn} onChange={(event) => change(event.currentTarget.checked)} />
      <span>
        {label}
        {detail !== undefined && <small className="cl-dim"> {detail}</small>}
      </span>
    </label>
  );
}
