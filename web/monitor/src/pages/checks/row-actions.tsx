import { Icon, RowButton, sendPing, sentenceOf } from '@certloop/web-kit';
import { CopyButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { nameOfCheck } from '../../check-states.js';
import type { LiveCheck } from '../../lookups.js';
import { statesResource } from '../../resources.js';
import type { BulkChange } from './use-bulk-change.js';

/** Actions of a row on its check: a ping, a pause, which can be undone above the list, and a resume. */
export function RowActions({
  projectId,
  check,
  bulk,
}: {
  readonly projectId: string;
  readonly check: LiveCheck;
  readonly bulk: BulkChange['ofRows'];
}) {
  const ping = useMutation({
    mutationFn: () => sendPing(check.id),
    meta: { changes: [statesResource(projectId)] },
  });
  const name = nameOfCheck(check);
  const action = check.status === 'paused' ? 'resume' : 'pause';
  const label = action === 'resume' ? 'Resume' : 'Pause';
  return (
    <div className="cl-row cl-actions">
      <RowButton aria-label={`Ping now: ${name}`} isBusy={ping.isPending} onClick={() => ping.mutate()}>
        Ping now
      </RowButton>
      <RowButton
        aria-label={`${label}: ${name}`}
        isBusy={bulk.isChanging(check.id)}
        onClick={() => bulk.run({ action, ids: [check.id] })}
      >
        {label}
      </RowButton>
      {'ping_url' in check && <CopyAddress address={check.ping_url} name={name} />}
      {ping.isError && <span role="alert">{sentenceOf(ping.error)}</span>}
    </div>
  );
}

function CopyAddress({ address, name }: { readonly address: string; readonly name: string }) {
  return (
    <CopyButton value={address}>
      {({ copied, copy }) => (
        <>
          <RowButton
            aria-label={`Copy the address of ${name}`}
            aria-keyshortcuts="y"
            title="Copy the address (y)"
            onClick={copy}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </RowButton>
          <span className="cl-visually-hidden" role="status">
            {copied && 'Copied'}
          </span>
        </>
      )}
    </CopyButton>
  );
}
