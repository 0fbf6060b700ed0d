import type { FqdnAction, FqdnChange, FqdnChangeResult } from '@certloop/contracts/browser';
import {
  type BulkProgress,
  CopyCurl,
  countOf,
  countText,
  Fault,
  queryOptions,
  readableTimes,
  requestOf,
  sendParts,
  sentenceOf,
  startOf,
  WaitingLines,
  wholeSentence,
} from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { providerName, useProviders } from '../providers.js';
import { spacesResource } from '../resources.js';
import { api } from '../service.js';
import { nameRules } from './bulk-rules.js';
import { type ChangedValue, ValueField } from './bulk-value.js';

export interface BulkDialogProps {
  readonly title: string;
  readonly action: FqdnAction;
  /** Which names: their ids, or a filter that the service applies. */
  readonly about: Pick<FqdnChange, 'ids' | 'filter'>;
  readonly close: (isDone: boolean) => void;
}

/** Asks the service what a change of many names would do, shows that, and changes them when the user agrees. */
export function BulkDialog({ title, action, about: selected, close }: BulkDialogProps) {
  const [value, setValue] = useState<ChangedValue>();
  // what was selected when it was opened: names that are changed may leave the list
  const [about] = useState(selected);
  const wanted = { ...about, action, ...value };
  const isComplete = action === 'renewal-on' || action === 'renewal-off' || value !== undefined;
  const { plan, change, handled } = useBulkChange(wanted, isComplete);
  const shown = change.data ?? plan.data;
  const matched = plan.data?.matched ?? 0;
  return (
    <Modal opened onClose={() => close(change.isSuccess)} title={title} size="lg">
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <ValueField
          action={action}
          value={value}
          set={setValue}
          isDisabled={change.isPending || change.isSuccess}
        />
        {isComplete && plan.isPending && <WaitingLines count={1} />}
        <PlanFault plan={plan} />
        <Fault>{change.isError ? faultText(change.error, handled, matched) : undefined}</Fault>
        {shown !== undefined && <Summary result={shown} isDone={change.isSuccess} />}
        {change.isPending && matched > maxSilent && (
          <p role="status">
            {countText(handled)} of {countOf(matched, 'name')}
          </p>
        )}
        <div className="cl-row">
          {change.isSuccess ? (
            <Button onClick={() => close(true)}>Close</Button>
          ) : (
            <>
              <ChangeButton
                wanted={wanted}
                count={plan.data?.changed}
                left={handled > 0 ? matched - handled : undefined}
                isPending={change.isPending}
              />
              <Button variant="default" onClick={() => close(false)} disabled={change.isPending}>
                Cancel
              </Button>
            </>
          )}
          {isComplete && (
            <CopyCurl api={api} of={(to) => to.changeFqdns({ body: { ...firstOf(wanted), dryRun: true } })} />
          )}
        </div>
      </form>
    </Modal>
  );
}

type Wanted = Omit<FqdnChange, 'dryRun'>;
type NameProgress = BulkProgress<Wanted, FqdnChangeResult>;

/** Above this number of names, the dialog shows the progress of the change. */
const maxSilent = 1_000;

/** The first request of a change. */
const firstOf = (wanted: Wanted) =>
  requestOf(startOf<Wanted, FqdnChangeResult>(wanted, undefined, nameRules));

/** Why a change has failed, and how many names are done. */
function faultText(error: Error, handled: number, matched: number): string {
  const rest = handled === 0 ? '' : ` ${countText(handled)} of ${countOf(matched, 'name')} are done.`;
  return `${wholeSentence(sentenceOf(error))}${rest}`;
}

/**
 * Returns what the change would do, asked for as soon as it `isComplete`, and the change itself, in requests of limited
 * size. After a failure the change goes on where it has stopped.
 */
function useBulkChange(wanted: Wanted, isComplete: boolean) {
  const [stopped, setStopped] = useState<NameProgress>();
  const send = (start: NameProgress, dryRun: boolean, note: (progress: NameProgress) => void) =>
    sendParts(
      start,
      nameRules,
      async (request) => (await api.changeFqdns({ body: { ...request, dryRun } })).body,
      note,
    );
  const plan = useQuery({
    ...queryOptions(api.changeFqdns, { body: { ...wanted, dryRun: true } }),
    queryFn: () => send(startOf(wanted, undefined, nameRules), true, () => undefined),
    enabled: isComplete,
    gcTime: 0,
    staleTime: 0,
    retry: false,
    // the plan stays that of the moment at which the dialog was opened
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const start = startOf(wanted, stopped, nameRules);
  const change = useMutation({
    mutationFn: () => send(start, false, setStopped),
    meta: { changes: [spacesResource] },
  });
  return { plan, change, handled: start.sum.matched };
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

/** Shows what changed or would change, and what was or would be skipped with the reason. */
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
                {fqdn ?? id}: {readableTimes(reason)}
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
  left,
  isPending,
}: {
  readonly wanted: Wanted;
  /** How many names would change; undefined until that is known. */
  readonly count: number | undefined;
  /** How many names are left after a failure; undefined before one. */
  readonly left: number | undefined;
  readonly isPending: boolean;
}) {
  return (
    <Button
      type="submit"
      disabled={left === undefined && (count === undefined || count === 0)}
      loading={isPending}
    >
      {left === undefined ? (
        <ButtonLabel {...wanted} names={count === undefined ? '' : countOf(count, 'name')} />
      ) : (
        `Go on with ${countOf(left, 'name')}`
      )}
    </Button>
  );
}

function ButtonLabel({
  action,
  names,
  providerId,
  owner,
}: Wanted & {
  /** How many names, such as `3 names`; empty until that is known. */
  readonly names: string;
}) {
  const providers = useProviders();
  if (names === '') return 'Change';
  if (action === 'renewal-on') return `Switch renewal on for ${names}`;
  if (action === 'renewal-off') return `Switch renewal off for ${names}`;
  if (action === 'set-owner')
    return owner === null ? `Remove the owner of ${names}` : `Set the owner of ${names}`;
  if (action === 'add-tags') return `Add the tags to ${names}`;
  if (action === 'remove-tags') return `Remove the tags from ${names}`;
  const provider = providerName(providers.data, providerId ?? undefined);
  return `Set ${provider === '' ? 'the provider' : provider} for ${names}`;
}
