// Keys of the page that is shown. A control names its key in `aria-keyshortcuts`, so that screen readers know it too.

import { shownDisplay } from '../display/display.browser.js';
import { type KeyStep, stepOf } from './key-steps.js';

/** A key of the page, and what it is for. */
export interface PageKey {
  readonly key: string;
  readonly label: string;
  /** Whether it is for a button and not for a field. */
  readonly isAction: boolean;
  readonly use: () => void;
}

const jumpMs = 1_500;
const fields = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

// rows of tables, and cards
const listed = '.cl-table tbody tr:not(.cl-spacer), .cl-cards > *';

/**
 * The keys of the controls that the page shows now; of those in a list, only those of the row that has the focus, or
 * that had it before a dialog took it.
 */
export function pageKeys(focused = document.activeElement): readonly PageKey[] {
  const controls = document.querySelectorAll<HTMLElement>('main [aria-keyshortcuts]:not(:disabled)');
  return [...controls].flatMap((control) => {
    const key = control.getAttribute('aria-keyshortcuts');
    if (key === null || control.getClientRects().length === 0) return [];
    if (control.closest(listed)?.contains(focused) === false) return [];
    const isAction = !control.matches(fields);
    const [words] = control instanceof HTMLInputElement ? (control.labels ?? []) : [control];
    const label = control.getAttribute('aria-label') ?? words?.textContent ?? '';
    return [{ key, label, isAction, use: () => (isAction ? control.click() : control.focus()) }];
  });
}

/** Rows of the first list of the page: moves the focus between them, or ticks the one that has it. */
function takeRow(step: KeyStep): boolean {
  const list = document.querySelector('main :is(.cl-table, .cl-cards)');
  const rows = [...(list?.querySelectorAll<HTMLElement>(listed) ?? [])];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  if (step.kind === 'select-row') {
    const box = rows[current]?.querySelector<HTMLElement>('.cl-tick input');
    box?.click();
    return box !== null && box !== undefined;
  }
  const next = rows[step.kind === 'move-row' ? Math.max(0, current + step.by) : -1];
  const link = next?.querySelector<HTMLElement>(':is(th, h2) :is(a, button), a, button');
  link?.focus();
  return link !== null && link !== undefined;
}

/** Leads to the page above, by the last link of where one is; not from a form, which would lose what was typed. */
function goUp(): boolean {
  if (document.querySelector('main form :is(input:not([type=search]), textarea)') !== null) return false;
  const link = [...document.querySelectorAll<HTMLElement>('main .cl-crumbs a')].at(-1);
  link?.click();
  return link !== undefined;
}

/** Actions of a console for the steps that are not about the page itself. */
export interface KeyActions {
  openPalette(): void;
  openHelp(): void;
  /** False where the letter leads nowhere. */
  jump(letter: string): boolean;
}

/** Follows the keys of a console until the returned function is called. */
export function followKeys({ openPalette, openHelp, jump }: KeyActions): () => void {
  let jumpsUntil = 0;
  const take = (step: KeyStep): boolean => {
    switch (step.kind) {
      case 'palette':
        openPalette();
        return true;
      case 'help':
        openHelp();
        return true;
      case 'begin-jump':
        jumpsUntil = Date.now() + jumpMs;
        return true;
      case 'jump':
        return jump(step.letter);
      case 'up':
        return goUp();
      case 'control': {
        const found = pageKeys().find(({ key }) => key === step.key);
        found?.use();
        return found !== undefined;
      }
      default:
        return takeRow(step);
    }
  };
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    const step = stepOf(event, {
      isTyping: target instanceof Element && target.closest(fields) !== null,
      isOverlaid: document.querySelector('[role=dialog], [role=menu]') !== null,
      areKeysOff: shownDisplay().keys === 'off',
      isJumping: Date.now() < jumpsUntil,
    });
    jumpsUntil = 0;
    if (step !== undefined && take(step)) event.preventDefault();
  };
  // before dialogs, which are gone from the document once they have taken Esc
  addEventListener('keydown', listen, true);
  return () => removeEventListener('keydown', listen, true);
}
