import { Modal, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useSettled } from '../service/activity.browser.js';
import { consolePath } from '../service/api.browser.js';
import { sentenceOf } from '../service/refusal.js';
import { countOf } from '../times.js';
import { matchingEntries, type PaletteEntry, placeAfter } from './palette-entries.js';

/** Looks for things of the service whose name has a text, or whose id it is. */
export type FindEntries = (text: string, signal: AbortSignal) => Promise<readonly PaletteEntry[]>;

const minLength = 2;

interface PaletteProps {
  readonly entries: readonly PaletteEntry[];
  readonly find: FindEntries;
  /** Description of what can be found. */
  readonly hint: string;
  readonly close: () => void;
}

/** Dialog that leads to pages, names and actions by a part of their name, with the keyboard alone. */
export function Palette({ entries, find, hint, close }: PaletteProps) {
  const { history } = useRouter();
  const [text, type] = useState('');
  const [place, setPlace] = useState(0);
  const listId = useId();
  const { shown, isWaiting, error } = useResults(entries, find, text);
  const chosen = shown[Math.min(place, shown.length - 1)];
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
          aria-activedescendant={chosen === undefined ? undefined : optionId(listId, chosen)}
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
        <Results listId={listId} entries={shown} chosen={chosen} open={open} />
        <p className="cl-dim" role="status">
          {error !== undefined
            ? sentenceOf(error)
            : isWaiting
              ? 'Searching…'
              : countOf(shown.length, 'result')}
        </p>
      </div>
    </Modal>
  );
}

function Results({
  listId,
  entries,
  chosen,
  open,
}: {
  readonly listId: string;
  readonly entries: readonly PaletteEntry[];
  readonly chosen: PaletteEntry | undefined;
  readonly open: (entry: PaletteEntry) => void;
}) {
  return (
    <div className="cl-options" role="listbox" id={listId} aria-label="Results">
      {entries.map((entry) => (
        // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the field, whose keys choose (ARIA combobox)
        <div
          key={entry.key}
          id={optionId(listId, entry)}
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
  );
}

const optionId = (listId: string, { key }: PaletteEntry) => `${listId}-${key}`;

/**
 * Returns what is found for a text once the typing has stopped: entries of the console first, then those of the
 * service.
 */
function useResults(entries: readonly PaletteEntry[], find: FindEntries, text: string) {
  const settled = useSettled(text).trim();
  const isLong = settled.length >= minLength;
  const found = useQuery({
    queryKey: ['palette', settled],
    queryFn: ({ signal }) => find(settled, signal),
    enabled: isLong,
    placeholderData: keepPreviousData,
  });
  return {
    shown: [...matchingEntries(entries, text), ...((isLong && found.data) || [])],
    isWaiting: text.trim().length >= minLength && (text.trim() !== settled || found.isFetching),
    error: isLong && found.isError ? found.error : undefined,
  };
}

function scrollIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
