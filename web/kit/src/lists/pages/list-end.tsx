import { Button } from '@mantine/core';
import { countOf, countText } from '../../times.js';

interface ListEndProps {
  /** Number of rows that are shown. */
  readonly shown: number;
  /** Number of rows there are; undefined where the service does not say. */
  readonly total: number | undefined;
  /** One row, and several where that is not the same with an s. */
  readonly noun: string;
  readonly nouns?: string;
  /** Loads the next page; undefined after the last. */
  readonly more: (() => void) | undefined;
  readonly isLoadingMore: boolean;
}

/** Line below a list: how many of its rows are shown, and a button for the next ones. */
export function ListEnd({ shown, total, noun, nouns, more, isLoadingMore }: ListEndProps) {
  return (
    <div className="cl-row">
      <span className="cl-dim">
        {countOf(shown, noun, nouns)}
        {total !== undefined && total > shown ? ` of ${countText(total)}` : ''}
      </span>
      {more !== undefined && (
        <Button variant="default" size="xs" loading={isLoadingMore} onClick={more}>
          Show more
        </Button>
      )}
    </div>
  );
}
