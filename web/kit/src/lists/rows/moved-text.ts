import { countOf } from '../../times.js';

/** Words of the button above rows that others have changed: how many moved, and how many no longer fit the filter. */
export function movedText(moved: number, unfit: number): string {
  const parts = [
    ...(moved > 0 ? [`${countOf(moved, 'row')} moved`] : []),
    ...(unfit > 0 ? [`${countOf(unfit, 'row')} no longer ${unfit === 1 ? 'fits' : 'fit'}`] : []),
  ];
  return `${parts.join(', ')}. Sort anew`;
}
