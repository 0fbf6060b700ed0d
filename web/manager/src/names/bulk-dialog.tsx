import type { FqdnAction, FqdnChange, FqdnChangeResult } from '@certloop/contracts/browser';
import { CopyCurl, countOf, countText, Fault, sentenceOf, WaitingLines } from '@certloop/web-kit';
import { Button, Modal, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { providerName, useProviders } from '../providers.js';
import { api } from '../service.js';
import { addedResults, idsAtOnce, noResult, slicesOf } from './bulk-slices.js';

export interface BulkDialogProps {
  readonly title: string;
  readonly action: FqdnAction;
  /** Which names: their ids, or a filter that the service applies. */
  readonly about: Pick<FqdnChange, 'ids' | 'filter'>;
  readonly close: (isDone: boolean) => void;
}

/** Asks the service what a change of many names would do, shows that, and changes them when the user agrees. */
export function BulkDialog({ title, action, about, close }: BulkDialogProps) {
  const [providerId, setProvider] = useState<string | null>();
  const wanted = { action, ...(providerId !== undefined && { providerId }) };
  const isComplete = action !== 'set-provider' || providerId !== undefined;
  const { parts, plan, change, done } = useBulkChange(about, wanted, isComplete);
  const shown = change.data ?? plan.data;
  return (
    <Modal opened onClose={() => close(change.isSuccess)} title={title} size="lg">
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        {action === 'set-provider' && (
          <ProviderField
            providerId={providerId}
            set={setProvider}
            isDisabled={change.isPending || change.isSuccess}
          />
        )}
        {isComplete && plan.isPending && <WaitingLines count={1} />}
        <PlanFault plan={plan} />
        <Fault>
          {change.isError
            ? `${sentenceOf(change.error)} Names that were changed before stay changed; try again for the rest.`
            : undefined}
        </Fault>
        {shown !== undefined && <Summary result={shown} isDone={change.isSuccess} />}
        {change.isPending && parts.length > 1 && (
          <p role="status">
            {countText(done)} of {countOf(parts.length * idsAtOnce, 'name')}
          </p>
        )}
        <div className="cl-row">
          {change.isSuccess ? (
            <Button onClick={() => close(true)}>Close</Button>
          ) : (
            <>
              <ChangeButton wanted={wanted} count={plan.data?.changed} isPending={change.isPending} />
              <Button variant="default" onClick={() => close(false)} disabled={change.isPending}>
                Cancel
              </Button>
            </>
          )}
          {isComplete && (
            <CopyCurl
              api={api}
              of={(to) => to.changeFqdns({ body: { ...parts[0], ...wanted, dryRun: true } })}
            />
          )}
        </div>
      </form>
    </Modal>
  );
}

type Wanted = Pick<FqdnChange, 'action' | 'providerId'>;

/** What the change would do, asked for as soon as it `isComplete`, and the change itself, in requests of limited size. */
function useBulkChange(about: BulkDialogProps['about'], wanted: Wanted, isComplete: boolean) {
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const parts = slicesOf(about);
  const send = async (dryRun: boolean, onDone: (names: number) => void) => {
    let result = noResult;
    for (const part of parts) {
      result = addedResults(result, (await api.changeFqdns({ body: { ...part, ...wanted, dryRun } })).body);
      onDone(result.matched);
    }
    return result;
  };
  const plan = useQuery({
    queryKey: ['bulk', about, wanted],
    queryFn: () => send(true, () => undefined),
    enabled: isComplete,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const change = useMutation({
    mutationFn: () => send(false, setDone),
    // also after a failure, which leaves what was changed before it
    onSettled: () =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [first] }) =>
          first === 'space' || first === 'spaces' || first === 'ahead' || first === 'renewals',
      }),
  });
  return { parts, plan, change, done };
}

/** Why what would change is not known, and a button that asks again. */
function PlanFault({ plan }: Pick<ReturnType<typeof useBulkChange>, 'plan'>) {
  return (
    <>
      <Fault>{plan.isError ? sentenceOf(plan.error) : undefined}</Fault>
      {plan.isError && (
        <div className="cl-row">
          <Button variant="default" loading={plan.isFetching} onClick={() => void plan.refetch()}>
            Try again
          </Button>
        </div>
      )}
    </>
  );
}

function ProviderField({
  providerId,
  set,
  isDisabled,
}: {
  /** Null for none; undefined until the user chooses. */
  readonly providerId: string | null | undefined;
  readonly set: (providerId: string | null) => void;
  readonly isDisabled: boolean;
}) {
  const providers = useProviders();
  return (
    <NativeSelect
      label="Provider of the next certificate"
      description="A name whose certificate another provider issued is renewed by that one."
      value={providerId === undefined ? '' : (providerId ?? 'none')}
      disabled={isDisabled}
      data={[
        { value: '', label: 'Choose a provider', disabled: true },
        { value: 'none', label: 'None' },
        ...(providers.data ?? []).map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      onChange={({ currentTarget: { value } }) => set(value === 'none' ? null : value)}
    />
  );
}

/** What changed or would change, and what was or would be skipped with the reason. */
function Summary({ result, isDone }: { readonly result: FqdnChangeResult; readonly isDone: boolean }) {
  const { matched, changed, unchanged, skipped } = result;
  const skippedCount = matched - changed - unchanged;
  return (
    <div className="cl-stack" role="status">
      <p>
        {countOf(changed, 'name')} {isDone ? (changed === 1 ? 'was' : 'were') : 'will be'} changed.
        {unchanged > 0 && ` ${countText(unchanged)} ${unchanged === 1 ? 'is' : 'are'} so already.`}
        {skippedCount > 0 && ` ${countText(skippedCount)} ${isDone ? 'were' : 'will be'} skipped.`}
      </p>
      {skipped.length > 0 && (
        <details open={skipped.length <= 10}>
          <summary>Why names are skipped</summary>
          <ul className="cl-list">
            {skipped.map(({ id, fqdn, reason }) => (
              <li key={id}>
                {fqdn ?? id}: {reason}
              </li>
            ))}
          </ul>
          {skippedCount > skipped.length && <p className="cl-dim">The first {skipped.length} are shown.</p>}
        </details>
      )}
    </div>
  );
}

function ChangeButton({
  wanted,
  count,
  isPending,
}: {
  readonly wanted: Wanted;
  /** How many names would change; undefined until that is known. */
  readonly count: number | undefined;
  readonly isPending: boolean;
}) {
  return (
    <Button type="submit" disabled={count === undefined || count === 0} loading={isPending}>
      <ButtonLabel {...wanted} names={count === undefined ? '' : countOf(count, 'name')} />
    </Button>
  );
}

function ButtonLabel({
  action,
  names,
  providerId,
}: Wanted & {
  /** How many names, such as `3 names`; empty until that is known. */
  readonly names: string;
}) {
  const providers = useProviders();
  if (names === '') return 'Change';
  if (action === 'renewal-on') return `Switch renewal on for ${names}`;
  if (action === 'renewal-off') return `Switch renewal off for ${names}`;
  const provider = providerName(providers.data, providerId ?? undefined);
  return `Set ${provider === '' ? 'the provider' : provider} for ${names}`;
}
