import { Button } from '@mantine/core';
import { movedText } from './moved-text.js';

interface MovedRowsProps {
  /** Rows that are not where the service would put them. */
  readonly moved: number;
  /** Rows that the search or the filter no longer finds. */
  readonly unfit?: number;
  readonly sortAnew: () => void;
}

/** Says how many rows are not where they would be after a new load: rows do not jump while someone reads them. */
export function MovedRows({ moved, unfit = 0, sortAnew }: MovedRowsProps) {
  if (moved === 0 && unfit === 0) return null;
  return (
    <div className="cl-row">
      <Button size="xs" variant="default" onClick={sortAnew}>
        {movedText(moved, unfit)}
      </Button>
    </div>
  );
}
