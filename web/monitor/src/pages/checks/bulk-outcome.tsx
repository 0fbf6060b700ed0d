import type { CheckAction } from '@certloop/contracts/browser';
import { countOf, countText, Fault, sentenceOf, wholeSentence } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import type { BulkChange, DoneChange } from './use-bulk-change.js';

const words: Readonly<Record<CheckAction, string>> = {
  pause: 'paused',
  resume: 'resumed',
  delete: 'deleted',
  'add-tags': 'changed',
  'remove-tags': 'changed',
  'add-channels': 'changed',
  'remove-channels': 'changed',
};

/** Shows what happened to the last change of checks, and for some seconds the way back. */
export function BulkOutcome({ bulk }: { readonly bulk: BulkChange }) {
  const { done, undo, error } = bulk;
  if (error !== null) return <BulkFault bulk={bulk} />;
  if (done === undefined || bulk.isPending) return null;
  return (
    <div className="cl-strip cl-stack" role="status">
      <div className="cl-row">
        <span>{sentenceFor(done)}</span>
        {undo !== undefined && (
          <Button size="xs" variant="default" onClick={() => bulk.run(undo)}>
            Undo
          </Button>
        )}
        <Button size="xs" variant="default" onClick={bulk.dismiss}>
          Close
        </Button>
      </div>
      <Skipped done={done} />
    </div>
  );
}

/** Why a change of checks has failed, and how far it had come; nothing if it has not. */
export function BulkFault({ bulk: { error, handled }, count }: BulkFaultProps) {
  if (error === null) return <Fault>{undefined}</Fault>;
  const of =
    count === undefined ? countOf(handled, 'check') : `${countText(handled)} of ${countOf(count, 'check')}`;
  const rest = handled === 0 ? '' : ` ${of} are done.`;
  return <Fault>{`${wholeSentence(sentenceOf(error))}${rest}`}</Fault>;
}

interface BulkFaultProps {
  readonly bulk: Pick<BulkChange, 'error' | 'handled'>;
  /** Checks that the change is about, if that is known. */
  readonly count?: number;
}

function sentenceFor({ change: { action }, result: { changed, unchanged, skipped } }: DoneChange): string {
  const parts = [`${countOf(changed, 'check')} ${changed === 1 ? 'was' : 'were'} ${words[action]}.`];
  if (unchanged > 0) parts.push(`${countOf(unchanged, 'check')} needed no change.`);
  if (skipped > 0) parts.push(`${countOf(skipped, 'check')} ${skipped === 1 ? 'was' : 'were'} skipped.`);
  return parts.join(' ');
}

function Skipped({ done: { result } }: { readonly done: DoneChange }) {
  const skipped = result.results.filter(({ outcome }) => outcome === 'skipped').slice(0, 10);
  if (skipped.length === 0) return null;
  return (
    <ul className="cl-list">
      {skipped.map(({ id, name, reason }) => (
        <li key={id}>
          <bdi>{name || id}</bdi>: {reason}
        </li>
      ))}
    </ul>
  );
}
