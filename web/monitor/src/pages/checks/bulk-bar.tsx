import type { AccountChannel, CheckChange } from '@certloop/contracts/browser';
import { countOf, countText, type Selection } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import type { CheckSearch } from '../../lookups.js';
import { ChannelsForm, DeleteForm, type PartialChange, PauseForm, TagsForm } from './bulk-forms.js';
import type { BulkChange } from './use-bulk-change.js';

const dialogs = {
  pause: ['Pause the checks?', PauseForm],
  tags: ['Change tags', TagsForm],
  channels: ['Change integrations', ChannelsForm],
  delete: ['Delete the checks?', DeleteForm],
} as const;
type DialogName = keyof typeof dialogs;

/** A pause of more checks asks first, as it cannot be undone exactly. */
const maxAtOnce = 1_000;

export interface BulkBarProps {
  readonly search: CheckSearch;
  /** Checks that match, also those that are not loaded. */
  readonly total: number;
  readonly selection: Selection;
  readonly channels: readonly AccountChannel[];
  readonly bulk: BulkChange;
}

/** What can be done with the selected checks; nothing while none is selected. */
export function BulkBar({ search, total, selection, channels, bulk }: BulkBarProps) {
  const [dialog, open] = useState<DialogName>();
  const { keys, isWhole } = selection;
  const count = isWhole ? total : selection.count;
  if (selection.count === 0) return null;
  const about = isWhole ? { filter: filterOf(search) } : { ids: [...keys] };
  const bodyOf = (change: PartialChange): CheckChange => ({
    ...about,
    ...change,
    // never more than the user has seen the number of
    ...(isWhole && change.action === 'delete' && { atMost: total }),
  });
  const run = (change: PartialChange) =>
    bulk.run(bodyOf(change), {
      onSuccess: () => {
        open(undefined);
        selection.clear();
      },
    });
  const [title, Form] = dialog === undefined ? ['', undefined] : dialogs[dialog];
  const button = (label: string, act: () => void) => (
    <Button size="xs" variant="default" disabled={bulk.isPending} onClick={act}>
      {label}
    </Button>
  );
  return (
    <section className="cl-bulk" aria-label="Selected checks">
      <Selected selection={selection} count={count} total={total} bulk={bulk} />
      {button('Pause', () => (count > maxAtOnce ? open('pause') : run({ action: 'pause' })))}
      {button('Resume', () => run({ action: 'resume' }))}
      {button('Tags', () => open('tags'))}
      {channels.length > 0 && button('Integrations', () => open('channels'))}
      <Button
        size="xs"
        variant="default"
        color="red"
        disabled={bulk.isPending}
        onClick={() => open('delete')}
      >
        Delete
      </Button>
      <Button size="xs" variant="subtle" onClick={selection.clear}>
        Clear the selection
      </Button>
      <Modal opened={Form !== undefined} onClose={() => open(undefined)} title={title}>
        {Form !== undefined && (
          <Form
            count={count}
            channels={channels}
            bulk={bulk}
            run={run}
            ask={(to, change) => bulk.ask(to, bodyOf(change))}
            close={() => open(undefined)}
          />
        )}
      </Modal>
    </section>
  );
}

/** How many checks are selected, or how many of them are changed by now. */
function Selected({
  selection: { isWhole, selectWhole },
  count,
  total,
  bulk,
}: Pick<BulkBarProps, 'selection' | 'total' | 'bulk'> & { readonly count: number }) {
  return (
    <>
      <strong role="status">
        {bulk.isPending && bulk.handled > 0
          ? `${countText(bulk.handled)} of ${countOf(count, 'check')}`
          : `${countOf(count, 'check')} selected`}
      </strong>
      {!isWhole && count < total && (
        <Button size="xs" variant="subtle" onClick={selectWhole}>
          Select all {countOf(total, 'check')} that match
        </Button>
      )}
    </>
  );
}

/** What the list is narrowed to, as a change names it. */
function filterOf({ q, status, tag, channel }: CheckSearch): NonNullable<CheckChange['filter']> {
  return {
    ...(q !== undefined && { q }),
    ...(status !== undefined && { status: [status] }),
    ...(tag !== undefined && { tag: [tag] }),
    ...(channel !== undefined && { channel }),
  };
}
