import { type ReactNode, useEffect, useRef } from 'react';
import { lastingText } from './lasting-text.js';

/** A cell of a table that flashes once when what it shows has changed, but not when only time passes. */
export function LiveCell({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const cell = useRef<HTMLTableCellElement>(null);
  const shown = useRef<string>(undefined);
  // after each rendering, as React does not say which of them changed the text
  useEffect(() => {
    if (cell.current === null) return;
    const text = lastingText(cell.current);
    if (shown.current !== undefined && shown.current !== text) markChanged(cell.current);
    shown.current = text;
  });
  return (
    <td ref={cell} data-title={title}>
      {children}
    </td>
  );
}

/** Two marks in turn, as an animation begins again only under another name. */
function markChanged({ dataset }: HTMLElement): void {
  dataset['changed'] = dataset['changed'] === 'once' ? 'again' : 'once';
}
