import type { CheckCounts } from '@certloop/contracts/browser';
import { countText, Icon, useSettled } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { statusOrder, wordOf } from '../../check-states.js';
import type { CheckSearch } from '../../lookups.js';

const sorts = [
  ['attention', 'by need'],
  ['name', 'by name'],
  ['created', 'by age'],
] as const;

interface Narrowing {
  readonly search: CheckSearch;
  readonly change: (search: CheckSearch) => void;
}

/** Whether the list shows less than all checks. */
export function isNarrowed({ q, status, tag, channel }: CheckSearch): boolean {
  return [q, status, tag, channel].some((one) => one !== undefined);
}

/** Search, states with their counts, and the order of the list. */
export function ChecksToolbar({ counts, search, change }: Narrowing & { readonly counts: CheckCounts }) {
  return (
    <div className="cl-toolbar">
      <SearchField search={search} change={change} />
      <StateFilter counts={counts} search={search} change={change} />
      <NarrowedBy search={search} change={change} />
      <select
        className="cl-select"
        aria-label="Order"
        value={search.sort ?? 'attention'}
        onChange={({ currentTarget: { value } }) =>
          change({ ...search, sort: value as NonNullable<CheckSearch['sort']> })
        }
      >
        {sorts.map(([sort, label]) => (
          <option key={sort} value={sort}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

function SearchField({ search, change }: Narrowing) {
  const [text, setText] = useState(search.q ?? '');
  const newest = useRef({ search, change });
  newest.current = { search, change };
  const settled = useSettled(text).trim();
  useEffect(() => {
    const { search: current, change: apply } = newest.current;
    const { q = '', ...rest } = current;
    if (q !== settled) apply(settled === '' ? rest : { ...rest, q: settled });
  }, [settled]);
  return (
    <TextInput
      aria-label="Search by name, slug or tag"
      aria-keyshortcuts="/"
      placeholder="Search by name, slug or tag"
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={({ currentTarget: { value } }) => setText(value)}
      type="search"
      maxLength={200}
    />
  );
}

function StateFilter({ counts, search, change }: Narrowing & { readonly counts: CheckCounts }) {
  const { status, ...others } = search;
  return (
    <fieldset className="cl-group cl-row" aria-label="Filter by state">
      {[...statusOrder, 'started' as const]
        .filter((one) => counts[one] > 0 || one === status)
        .map((one) => (
          <button
            key={one}
            type="button"
            className="cl-filter"
            aria-pressed={one === status}
            onClick={() => change(one === status ? others : { ...search, status: one })}
          >
            {countText(counts[one])} {one === 'started' ? 'running' : wordOf(one)}
          </button>
        ))}
    </fieldset>
  );
}

/** Shows what else of the address narrows the list, to be taken away. */
function NarrowedBy({ search, change }: Narrowing) {
  const { tag, channel } = search;
  return (
    <>
      {tag !== undefined && (
        <button
          type="button"
          className="cl-filter"
          aria-pressed
          onClick={() => change(without(search, 'tag'))}
        >
          tag {tag} ×
        </button>
      )}
      {channel !== undefined && (
        <button
          type="button"
          className="cl-filter"
          aria-pressed
          onClick={() => change(without(search, 'channel'))}
        >
          checks of one integration ×
        </button>
      )}
    </>
  );
}

function without(search: CheckSearch, name: keyof CheckSearch): CheckSearch {
  const { [name]: _gone, ...others } = search;
  return others;
}
