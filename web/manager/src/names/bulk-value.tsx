import type { FqdnAction, FqdnChange } from '@certloop/contracts/browser';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useProviders } from '../providers.js';
import { tagsIn } from './labels.js';

/** Value of a change of many names. */
export type ChangedValue = Pick<FqdnChange, 'providerId' | 'owner' | 'tags'>;

interface ValueProps {
  /** Undefined until the user has entered one. */
  readonly value: ChangedValue | undefined;
  readonly set: (value: ChangedValue | undefined) => void;
  readonly isDisabled: boolean;
}

/** Input for the value of a change of many names; nothing for an action without one. */
export function ValueField({ action, ...props }: ValueProps & { readonly action: FqdnAction }) {
  if (action === 'set-provider') return <ProviderField {...props} />;
  if (action === 'set-owner') return <OwnerField {...props} />;
  return action === 'add-tags' || action === 'remove-tags' ? <TagsField {...props} /> : null;
}

function ProviderField({ value, set, isDisabled }: ValueProps) {
  const providers = useProviders();
  return (
    <NativeSelect
      label="Provider of the next certificate"
      description="A name whose certificate another provider issued is renewed by that one."
      value={value === undefined ? '' : (value.providerId ?? 'none')}
      disabled={isDisabled}
      data={[
        { value: '', label: 'Choose a provider', disabled: true },
        { value: 'none', label: 'None' },
        ...(providers.data ?? []).map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      onChange={({ currentTarget: { value: id } }) => set({ providerId: id === 'none' ? null : id })}
    />
  );
}

function OwnerField({ set, isDisabled }: ValueProps) {
  const [text, setText] = useState('');
  // asked for once the field is left, and not for each letter
  const accept = () => set({ owner: text.trim() === '' ? null : text.trim() });
  return (
    <TextInput
      label="Owner"
      description="A person, a team or a mail address; empty for none."
      value={text}
      maxLength={200}
      disabled={isDisabled}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onBlur={accept}
      data-autofocus
    />
  );
}

function TagsField({ set, isDisabled }: ValueProps) {
  const [text, setText] = useState('');
  const accept = () => {
    const tags = tagsIn(text);
    set(tags.length === 0 ? undefined : { tags });
  };
  return (
    <TextInput
      label="Tags"
      description="Separated by spaces."
      value={text}
      disabled={isDisabled}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onBlur={accept}
      data-autofocus
    />
  );
}
