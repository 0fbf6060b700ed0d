import { type FqdnCounts, type FqdnSort, fqdnSorts, fqdnStates } from '@certloop/contracts/browser';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { stateMarks } from '../fqdn-state.js';
import type { FqdnFilter } from '../lookups.js';

const sortLabels: Readonly<Record<FqdnSort, string>> = {
  attention: 'By need',
  expiresAt: 'By expiry',
  renewAt: 'By renewal',
  fqdn: 'By name',
  createdAt: 'By creation',
};

export interface NamesToolbarProps {
  readonly counts: FqdnCounts;
  readonly filter: FqdnFilter;
  readonly setFilter: (filter: FqdnFilter) => void;
}

/** States with their counts, a search and an order; all of them are part of the address of the page. */
export function NamesToolbar({ counts, filter, setFilter }: NamesToolbarProps) {
  const { state, q, sort } = filter;
  return (
    <>
      <nav className="cl-tabs" aria-label="States">
        {[undefined, ...fqdnStates].map((one) => (
          <Link
            key={one ?? 'all'}
            activeOptions={{ exact: true }}
            to="."
            search={withState(filter, one)}
            aria-current={one === state || undefined}
          >
            {one === undefined ? `All ${counts.total}` : `${stateMarks[one].word} ${counts[one]}`}
          </Link>
        ))}
      </nav>
      <form
        className="cl-row"
        onSubmit={(event) => {
          event.preventDefault();
          const text = String(new FormData(event.currentTarget).get('q')).trim();
          const { q: _, ...others } = filter;
          setFilter({ ...others, ...(text !== '' && { q: text }) });
        }}
      >
        <TextInput
          name="q"
          type="search"
          aria-label="Search names"
          aria-keyshortcuts="/"
          placeholder="Part of a name"
          defaultValue={q ?? ''}
          maxLength={253}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
        <NativeSelect
          aria-label="Order"
          value={sort ?? 'attention'}
          data={fqdnSorts.map((value) => ({ value, label: sortLabels[value] }))}
          onChange={({ currentTarget: { value } }) => setFilter(withSort(filter, value))}
        />
      </form>
    </>
  );
}

function withState({ state: _, ...others }: FqdnFilter, state: FqdnFilter['state']): FqdnFilter {
  return { ...others, ...(state !== undefined && { state }) };
}

/** The filter with another order; the usual one is left out. */
export function withSort({ sort: _, ...others }: FqdnFilter, value: string): FqdnFilter {
  const sort = fqdnSorts.find((one) => one === value);
  return { ...others, ...(sort !== undefined && sort !== 'attention' && { sort }) };
}
