import type { AccountChannel, CheckChange } from '@certloop/contracts/browser';
import { CopyCurl, countOf, countText, faultsOf } from '@certloop/web-kit';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../service.js';
import { BulkFault } from './bulk-outcome.js';
import type { BulkChange } from './use-bulk-change.js';

/** A change without the checks that it is about. */
export type PartialChange = Pick<CheckChange, 'action' | 'tags' | 'channels'>;

export interface BulkFormProps {
  /** Selected checks. */
  readonly count: number;
  readonly channels: readonly AccountChannel[];
  readonly bulk: BulkChange;
  readonly run: (change: PartialChange) => void;
  /** Sends the request of a change by a client. */
  readonly ask: (to: typeof api, change: PartialChange) => Promise<unknown>;
  readonly close: () => void;
}

/** Words of the button that begins a change of so many checks, or goes on where it stopped. */
function labelOf(verb: string, { error, handled }: BulkChange, count: number): string {
  return error === null || handled === 0
    ? `${verb} ${countOf(count, 'check')}`
    : `Go on with ${countOf(count - handled, 'check')}`;
}

/** Asks before very many checks are paused. */
export function PauseForm({ count, bulk, run, close }: BulkFormProps) {
  return (
    <div className="cl-form">
      <p>
        They send no alerts until a ping arrives or someone resumes them. A pause of more than 1,000 checks
        cannot be undone at once.
      </p>
      <BulkFault bulk={bulk} count={count} />
      <div className="cl-row">
        <Button loading={bulk.isPending} onClick={() => run({ action: 'pause' })}>
          {labelOf('Pause', bulk, count)}
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Adds tags to the checks, or removes them. */
export function TagsForm({ count, bulk, run, ask }: BulkFormProps) {
  const [tags, type] = useState('');
  const isEmpty = tags.trim() === '';
  const { byField, general } = faultsOf(bulk.error, ['tags']);
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        run({ action: 'add-tags', tags });
      }}
    >
      <TextInput
        label="Tags"
        description="Words between blanks. Other tags of the checks stay."
        value={tags}
        onChange={({ currentTarget: { value } }) => type(value)}
        error={byField['tags']}
        maxLength={500}
        autoComplete="off"
        data-autofocus
      />
      {general !== undefined && <BulkFault bulk={bulk} count={count} />}
      <div className="cl-row">
        <Button type="submit" loading={bulk.isPending} disabled={isEmpty}>
          Add to {countOf(count, 'check')}
        </Button>
        <Button
          variant="default"
          disabled={isEmpty || bulk.isPending}
          onClick={() => run({ action: 'remove-tags', tags })}
        >
          Remove from {countOf(count, 'check')}
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, { action: 'add-tags', tags })} />
      </div>
    </form>
  );
}

/** Lets the checks notify an integration, or no longer. */
export function ChannelsForm({ count, channels, bulk, run, ask }: BulkFormProps) {
  const [chosen, choose] = useState(channels[0]?.id ?? '');
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        run({ action: 'add-channels', channels: [chosen] });
      }}
    >
      <NativeSelect
        label="Integration"
        description="Other integrations of the checks stay."
        value={chosen}
        onChange={({ currentTarget: { value } }) => choose(value)}
        data={channels.map(({ id, name, label }) => ({ value: id, label: name || label }))}
        data-autofocus
      />
      <BulkFault bulk={bulk} count={count} />
      <div className="cl-row">
        <Button type="submit" loading={bulk.isPending}>
          Notify it for {countOf(count, 'check')}
        </Button>
        <Button
          variant="default"
          disabled={bulk.isPending}
          onClick={() => run({ action: 'remove-channels', channels: [chosen] })}
        >
          Stop notifying it
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, { action: 'add-channels', channels: [chosen] })} />
      </div>
    </form>
  );
}

/** Deletes the checks after their number is typed. */
export function DeleteForm({ count, bulk, run, ask }: BulkFormProps) {
  const [typed, type] = useState('');
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        run({ action: 'delete' });
      }}
    >
      <p>
        Their pings and their history are deleted with them. The jobs that ping them get 404 from then on.
        This cannot be undone.
      </p>
      <TextInput
        label={`Type the number of checks to confirm: ${countText(count)}`}
        value={typed}
        onChange={({ currentTarget: { value } }) => type(value)}
        inputMode="numeric"
        autoComplete="off"
        data-autofocus
      />
      <BulkFault bulk={bulk} count={count} />
      <div className="cl-row">
        <Button
          type="submit"
          color="red"
          loading={bulk.isPending}
          disabled={typed.trim().replaceAll(',', '') !== String(count)}
        >
          {labelOf('Delete', bulk, count)}
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, { action: 'delete' })} />
      </div>
    </form>
  );
}
