import { Modal, Switch } from '@mantine/core';
import { useNow } from '../clock.browser.js';
import { changeDisplay, useDisplay } from '../display/display.browser.js';
import { pageKeys } from './page-keys.browser.js';

const common = [
  ['Ctrl K or ⌘ K', 'Go to a page, a name or an action'],
  ['?', 'Show the keys'],
  ['j, k', 'Next row, previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['Esc', 'Close a dialog, or go to the page above'],
] as const;

/** Dialog that lists the keys: of every page, of this one as it changes below the dialog, and those that lead to others. */
export function KeysHelp({
  focused,
  jumps,
  close,
}: {
  /** Element that had the focus before the dialog. */
  readonly focused: Element | null;
  readonly jumps: readonly { readonly letter: string; readonly label: string }[];
  readonly close: () => void;
}) {
  const { keys } = useDisplay();
  useNow(1_000);
  const shown = pageKeys(focused);
  return (
    <Modal opened onClose={close} title="Keys" size="lg">
      <div className="cl-form">
        <Switch
          label="Use keys of single characters in this browser"
          checked={keys === 'on'}
          onChange={({ currentTarget: { checked } }) => changeDisplay({ keys: checked ? 'on' : 'off' })}
          data-autofocus
        />
        {shown.length > 0 && (
          <KeyTable title="On this page" rows={shown.map(({ key, label }) => [key, label])} />
        )}
        <KeyTable title="On every page" rows={common} />
        <KeyTable title="To other pages" rows={jumps.map(({ letter, label }) => [`g ${letter}`, label])} />
      </div>
    </Modal>
  );
}

function KeyTable({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly (readonly [key: string, label: string])[];
}) {
  return (
    <section className="cl-stack">
      <h2>{title}</h2>
      <dl className="cl-facts">
        {rows.map(([key, label]) => (
          <div key={key} className="cl-pair">
            <dt>
              <kbd className="cl-key">{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
