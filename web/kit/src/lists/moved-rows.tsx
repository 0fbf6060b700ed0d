import { Button } from '@mantine/core';
import { countOf } from '../times.js';

/** Says how many rows are not where the service would put them: rows do not jump while someone reads them. */
export function MovedRows({ moved, sortAnew }: { readonly moved: number; readonly sortAnew: () => void }) {
  if (moved === 0) return null;
  return (
    <div className="cl-row">
      <Button size="xs" variant="default" onClick={sortAnew}>
        {countOf(moved, 'row')} moved. Sort anew
      </Button>
    </div>
  );
}
