import type { IssuancePolicyChange, ShownIssuancePolicy } from '@certloop/contracts/browser';
import { CopyCurl, countOf, Fault, faultsOf, readableTimes } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { spaceResource } from '../../resources.js';
import { api } from '../../service.js';
import { draftOf, type PolicyDraft, policyOf } from './policy-draft.js';
import { NameFields, ProviderFields } from './policy-fields.js';

interface FormProps {
  readonly spaceId: string;
  readonly policy: ShownIssuancePolicy;
}

const places = ['allowedNames.suffixes', 'allowedNames.names', 'allowedNames.cidrs', 'providerIds'];

/** Form of the policy: what it would reject is shown before it can be saved. */
export function PolicyForm({ spaceId, policy }: FormProps) {
  const [draft, change] = useState(() => draftOf(policy));
  const send = (to: typeof api, isTrial: boolean) =>
    to.setIssuancePolicy({
      params: { id: spaceId },
      query: isTrial ? { dryRun: 'true' } : {},
      body: { ...policyOf(draft), ...(!isTrial && { confirmed: true }) },
    });
  const preview = useMutation({
    mutationFn: async () => (await send(api, true)).body,
    meta: { isTrial: true },
  });
  const save = useMutation({
    mutationFn: async () => (await send(api, false)).body,
    meta: { changes: [spaceResource(spaceId)] },
    onSuccess: () => preview.reset(),
  });
  const set = (part: Partial<PolicyDraft>) => {
    change((before) => ({ ...before, ...part }));
    // the preview and the result were of another policy
    preview.reset();
    save.reset();
  };
  const fields = { draft, set, ...useFaults(preview.error ?? save.error) };
  return (
    <form
      className="cl-stack"
      onSubmit={(event) => {
        event.preventDefault();
        (preview.isSuccess ? save : preview).mutate();
      }}
    >
      <Part title="Names">
        <NameFields {...fields} />
      </Part>
      <Part title="Providers">
        <ProviderFields {...fields} />
      </Part>
      {preview.isSuccess && <Rejected change={preview.data} />}
      <Fault>{fields.general}</Fault>
      {save.isSuccess && (
        <p className="cl-result" role="status">
          The policy is saved. It counts from now on.
        </p>
      )}
      <div className="cl-row">
        <Button type="submit" loading={preview.isPending || save.isPending}>
          {preview.isSuccess ? 'Save the policy' : 'Preview the effect'}
        </Button>
        <CopyCurl api={api} of={(to) => send(to, !preview.isSuccess)} />
      </div>
    </form>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="cl-panel" aria-label={title}>
      <h2>{title}</h2>
      <div className="cl-form">{children}</div>
    </section>
  );
}

/** Errors by the list that has the faulty entry, and what is left of them. */
function useFaults(error: Error | null) {
  const { byField, general } = faultsOf(error, places);
  const faultOf = (field: string) => byField[field];
  return { faultOf, general };
}

function Rejected({ change: { newlyRefused } }: { readonly change: IssuancePolicyChange }) {
  const { count, items } = newlyRefused;
  return (
    <section className="cl-panel" aria-label="Effect" aria-live="polite">
      <h2>{count === 0 ? 'No name is rejected' : `${countOf(count, 'name')} would be rejected`}</h2>
      {count === 0 ? (
        <p>All names of the space that pass today pass the new policy too.</p>
      ) : (
        <>
          <p>The certificates stay, but they are not renewed, and the checks fail at once.</p>
          <ul className="cl-list">
            {items.map(({ fqdnId, fqdn, message }) => (
              <li key={fqdnId} className="cl-anywhere">
                {readableTimes(message.startsWith(`${fqdn} `) ? message : `${fqdn}: ${message}`)}
              </li>
            ))}
          </ul>
          {count > items.length && <p className="cl-dim">And {count - items.length} more.</p>}
        </>
      )}
    </section>
  );
}
