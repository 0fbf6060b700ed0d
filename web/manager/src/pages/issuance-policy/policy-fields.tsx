import { Fault } from '@certloop/web-kit';
import { CheckLine } from '../../limits/check-line.js';
import { NameLists } from '../../limits/name-lists.js';
import { useProviders } from '../../providers.js';
import type { PolicyDraft } from './policy-draft.js';

interface FieldsProps {
  readonly draft: PolicyDraft;
  readonly set: (part: Partial<PolicyDraft>) => void;
  /** Returns what the service says of a field, by its name. */
  readonly faultOf: (field: string) => string | undefined;
}

export function NameFields({ draft, set, faultOf }: FieldsProps) {
  return (
    <>
      <CheckLine
        label="Limit the names"
        detail="Without limits, the space may have every name that no other space holds."
        isOn={draft.limitsNames}
        change={(limitsNames) => set({ limitsNames })}
      />
      {draft.limitsNames && (
        <>
          <NameLists texts={draft} set={set} faultOf={(list) => faultOf(`allowedNames.${list}`)} />
          <CheckLine
            label="Allow wildcards"
            detail="Such as *.shop.example.com, at or below a domain of the list."
            isOn={draft.wildcards}
            change={(wildcards) => set({ wildcards })}
          />
          <CheckLine
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
      <CheckLine
        label="Limit the providers"
        detail="Without limits, every provider may issue."
        isOn={limitsProviders}
        change={(isOn) => set({ limitsProviders: isOn })}
      />
      {limitsProviders && (
        <fieldset className="cl-fieldset">
          <legend>Allowed providers</legend>
          {providers.map(({ id, displayName }) => (
            <CheckLine
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
