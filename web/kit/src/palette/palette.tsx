import { Modal, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useSettled } from '../activity.browser.js';
import { consolePath } from '../service/api.browser.js';
import { sentenceOf } from '../service/refusal.js';
import { countOf } from '../times.js';
import { matchingEntries, type PaletteEntry, placeAfter } from './palette-entries.js';

/** Looks for things of the service whose name has a text, or whose id it is. */
export type FindEntries = (text: string, signal: AbortSignal) => Promise<readonly PaletteEntry[]>;

const minLength = 2;

/** Dialog that leads to pages, names and actions by a part of their name, with the keyboard alone. */
export function Palette({
  entries,
  find,
  hint,
  close,
}: {
  readonly entries: readonly PaletteEntry[];
  readonly find: FindEntries;
  /** What can be looked for. */
  readonly hint: string;
  readonly close: () => void;
}) {
  const { history } = useRouter();
  const [text, type] = useState('');
  const [place, setPlace] = useState(0);
  const listId = useId();
  const settled = useSettled(text).trim();
  const isLong = settled.length >= minLength;
  const found = useQuery({
    queryKey: ['palette', settled],
    queryFn: ({ signal }) => find(settled, signal),
    enabled: isLong,
    placeholderData: keepPreviousData,
  });
  const shown = [...matchingEntries(entries, text), ...((isLong && found.data) || [])];
  const isWaiting = text.trim() !== settled || found.isFetching;
  const chosen = shown[Math.min(place, shown.length - 1)];
  const optionId = ({ key }: PaletteEntry) => `${listId}-${key}`;
  const open = ({ path, run }: PaletteEntry) => {
    close();
    if (path !== undefined) history.push(`${consolePath()}${path}`);
    run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      setPlace(placeAfter(Math.min(place, shown.length - 1), by, shown.length));
      event.preventDefault();
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && chosen !== undefined) open(chosen);
  };
  return (
    <Modal opened onClose={close} title="Go to" size="lg">
      <div className="cl-form">
        <TextInput
          aria-label="Search"
          placeholder={hint}
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen === undefined ? undefined : optionId(chosen)}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            type(value);
            setPlace(0);
          }}
          onKeyDown={onKeyDown}
          maxLength={253}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
        <div className="cl-options" role="listbox" id={listId} aria-label="Results">
          {shown.map((entry) => (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the field, whose keys choose (ARIA combobox)
            <div
              key={entry.key}
              id={optionId(entry)}
              className="cl-option"
              role="option"
              aria-selected={entry === chosen}
              ref={entry === chosen ? scrollIntoView : undefined}
              onClick={() => open(entry)}
            >
              <span>{entry.label}</span>
              <span className="cl-dim">{entry.detail}</span>
            </div>
          ))}
        </div>
        <p className="cl-dim" role="status">
          {found.isError && isLong
            ? sentenceOf(found.error)
            : isWaiting && text.trim().length >= minLength
              ? 'Searching…'
              : countOf(shown.length, 'result')}
        </p>
      </div>
    </Modal>
  );
}

function scrollIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
