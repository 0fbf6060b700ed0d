import { Component, createRef, type ReactNode } from 'react';
import { lastingText } from './lasting-text.js';

/** Place of a cell in a card of two lines, as on phones; see `Column`. */
export type NarrowPlace = 'name' | 'beside' | 'fact' | 'titled' | 'line';

interface LiveCellProps {
  readonly title: string;
  readonly narrow: NarrowPlace | undefined;
  readonly children: ReactNode;
}

/**
 * A cell of a table that flashes once when what it shows has changed, but not when only time passes. A class, as no hook
 * sees the text before a change: to remember it would take time for each cell that is drawn.
 */
export class LiveCell extends Component<LiveCellProps> {
  readonly #cell = createRef<HTMLTableCellElement>();

  override getSnapshotBeforeUpdate(): string {
    return this.#text();
  }

  override componentDidUpdate(_props: LiveCellProps, _state: unknown, before: string): void {
    const cell = this.#cell.current;
    if (cell !== null && this.#text() !== before) markChanged(cell);
  }

  override render() {
    const { title, narrow, children } = this.props;
    return (
      <td ref={this.#cell} data-title={title} data-narrow={narrow}>
        {children}
      </td>
    );
  }

  #text(): string {
    return this.#cell.current === null ? '' : lastingText(this.#cell.current);
  }
}

/** Two marks in turn, as an animation begins again only under another name. */
function markChanged({ dataset }: HTMLElement): void {
  dataset['changed'] = dataset['changed'] === 'once' ? 'again' : 'once';
}
