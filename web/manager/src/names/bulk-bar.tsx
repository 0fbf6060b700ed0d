import type { FqdnAction } from '@certloop/contracts/browser';
import { countOf, countText, type Selection } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { conditionOf, type FqdnFilter } from '../lookups.js';
import { BulkDialog } from './bulk-dialog.js';

const labels: Readonly<Record<FqdnAction, string>> = {
  'renewal-on': 'Switch renewal on',
  'renewal-off': 'Switch renewal off',
  'set-provider': 'Set the provider',
  'set-owner': 'Set the owner',
  'add-tags': 'Add tags',
  'remove-tags': 'Remove tags',
};
const actions = Object.keys(labels) as FqdnAction[];

/** Shows what can be done with the selected names; nothing while none is selected. */
export function BulkBar({
  spaceId,
  filter,
  total,
  selection,
  sortAnew,
}: {
  readonly spaceId: string | undefined;
  readonly filter: FqdnFilter;
  /** Names that match the filter, also those that are not loaded. */
  readonly total: number;
  readonly selection: Selection;
  /** Shows the list as the service has it after the change. */
  readonly sortAnew: () => void;
}) {
  const [action, choose] = useState<FqdnAction>();
  const { keys, isWhole, count } = selection;
  if (count === 0) return null;
  const condition = { ...(spaceId !== undefined && { spaceId }), ...conditionOf(filter) };
  return (
    <section className="cl-bulk" aria-label="Selected names">
      <strong role="status">{countOf(isWhole ? total : count, 'name')} selected</strong>
      {!isWhole && count < total && (
        <Button size="xs" variant="subtle" onClick={selection.selectWhole}>
          Select all {countText(total)} that match
        </Button>
      )}
      {actions.map((one) => (
        <Button key={one} size="xs" variant="default" onClick={() => choose(one)}>
          {labels[one]}
        </Button>
      ))}
      <Button size="xs" variant="subtle" onClick={selection.clear}>
        Clear the selection
      </Button>
      {action !== undefined && (
        <BulkDialog
          title={labels[action]}
          action={action}
          about={isWhole ? { filter: condition } : { ids: [...keys] }}
          close={(isDone) => {
            choose(undefined);
            if (isDone) {
              selection.clear();
              sortAnew();
            }
          }}
        />
      )}
    </section>
  );
}
