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

/** Words of the button that begins a change, or goes on with it where it stopped. */
function labelOf(words: string, change: PartialChange, { bulk, count }: BulkFormProps): string {
  const { failed, handled } = bulk;
  const isStopped =
    handled > 0 &&
    failed?.action === change.action &&
    failed.tags === change.tags &&
    failed.channels?.join() === change.channels?.join();
  return isStopped ? `Go on with ${countOf(count - handled, 'check')}` : words;
}

/** Asks before very many checks are paused. */
export function PauseForm(props: BulkFormProps) {
  const { count, bulk, run, close } = props;
  return (
    <div className="cl-form">
      <p>
        They send no alerts until a ping arrives or someone resumes them. A pause of more than 1,000 checks
        cannot be undone at once.
      </p>
      <BulkFault bulk={bulk} count={count} />
      <div className="cl-row">
        <Button loading={bulk.isPending} onClick={() => run({ action: 'pause' })}>
          {labelOf(`Pause ${countOf(count, 'check')}`, { action: 'pause' }, props)}
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Adds tags to the checks, or removes them. */
export function TagsForm(props: BulkFormProps) {
  const { count, bulk, run, ask } = props;
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
          {labelOf(`Add to ${countOf(count, 'check')}`, { action: 'add-tags', tags }, props)}
        </Button>
        <Button
          variant="default"
          disabled={isEmpty || bulk.isPending}
          onClick={() => run({ action: 'remove-tags', tags })}
        >
          {labelOf(`Remove from ${countOf(count, 'check')}`, { action: 'remove-tags', tags }, props)}
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, { action: 'add-tags', tags })} />
      </div>
    </form>
  );
}

/** Lets the checks notify an integration, or no longer. */
export function ChannelsForm(props: BulkFormProps) {
  const { count, channels, bulk, run, ask } = props;
  const [chosen, choose] = useState(channels[0]?.id ?? '');
  const adding: PartialChange = { action: 'add-channels', channels: [chosen] };
  const removing: PartialChange = { action: 'remove-channels', channels: [chosen] };
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        run(adding);
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
          {labelOf(`Notify it for ${countOf(count, 'check')}`, adding, props)}
        </Button>
        <Button variant="default" disabled={bulk.isPending} onClick={() => run(removing)}>
          {labelOf('Stop notifying it', removing, props)}
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, adding)} />
      </div>
    </form>
  );
}

/** Deletes the checks after their number is typed. */
export function DeleteForm(props: BulkFormProps) {
  const { count, bulk, run, ask } = props;
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
          {labelOf(`Delete ${countOf(count, 'check')}`, { action: 'delete' }, props)}
        </Button>
        <CopyCurl api={api} of={(to) => ask(to, { action: 'delete' })} />
      </div>
    </form>
  );
}
