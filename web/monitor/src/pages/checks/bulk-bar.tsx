import type { AccountChannel, CheckChange } from '@certloop/contracts/browser';
import { countOf, countText, type Selection } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
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

interface OpenDialog {
  readonly name: DialogName;
  /** Selection when it was opened. */
  readonly selected: ReturnType<typeof selectedOf>;
}

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

/** Shows what can be done with the selected checks; nothing while none is selected. */
export function BulkBar(props: BulkBarProps) {
  const { total, selection, channels, bulk } = props;
  const { dialog, open, close, about, count } = useDialog(props);
  if (selection.count === 0) return null;
  const bodyOf = (change: PartialChange): CheckChange => ({
    ...about,
    ...change,
    // never more than the user has seen the number of
    ...('filter' in about && change.action === 'delete' && { atMost: count }),
  });
  const run = (change: PartialChange) =>
    bulk.run(bodyOf(change), {
      onSuccess: () => {
        close();
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
      <Modal opened={Form !== undefined} onClose={close} title={title}>
        {Form !== undefined && (
          <Form
            count={count}
            channels={channels}
            bulk={bulk}
            run={run}
            ask={(to, change) => bulk.ask(to, bodyOf(change))}
            close={close}
          />
        )}
      </Modal>
    </section>
  );
}

/** The open dialog, and the checks that its change is about; it closes as soon as nothing is selected. */
function useDialog({ search, total, selection, bulk: { handled, forgetFailed } }: BulkBarProps) {
  const [dialog, setDialog] = useState<OpenDialog>();
  const isNone = selection.count === 0;
  const close = useCallback(() => {
    forgetFailed();
    setDialog(undefined);
  }, [forgetFailed]);
  useEffect(() => {
    if (isNone) close();
  }, [isNone, close]);
  const selected = selectedOf(search, total, selection);
  return {
    dialog: dialog?.name,
    open: (name: DialogName) => {
      forgetFailed();
      setDialog({ name, selected });
    },
    close,
    // the rest of a change is of what it began with, whatever the list shows by now
    ...(dialog !== undefined && handled > 0 ? dialog.selected : selected),
  };
}

/** The checks that a change is about, and their number. */
function selectedOf(search: CheckSearch, total: number, { keys, isWhole, count }: Selection) {
  if (isWhole) return { about: { filter: filterOf(search) }, count: total };
  return { about: { ids: [...keys] }, count };
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

/** Returns what the list is narrowed to, as a change names it. */
function filterOf({ q, status, tag, channel }: CheckSearch): NonNullable<CheckChange['filter']> {
  return {
    ...(q !== undefined && { q }),
    ...(status !== undefined && { status: [status] }),
    ...(tag !== undefined && { tag: [tag] }),
    ...(channel !== undefined && { channel }),
  };
}
