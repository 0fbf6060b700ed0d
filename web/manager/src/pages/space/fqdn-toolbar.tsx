import { type FqdnCounts, type FqdnSort, fqdnSorts, fqdnStates } from '@certloop/contracts/browser';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { stateMarks } from '../../fqdn-state.js';

const route = getRouteApi('/inside/spaces/$spaceId');

const sortLabels: Readonly<Record<FqdnSort, string>> = {
  attention: 'By need',
  expiresAt: 'By expiry',
  renewAt: 'By renewal',
  fqdn: 'By name',
  createdAt: 'By creation',
};

/** States with their counts, a search and an order; all of them are part of the address of the page. */
export function FqdnToolbar({ counts }: { readonly counts: FqdnCounts }) {
  const { spaceId } = route.useParams();
  const { state, q, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const rest = { ...(q !== undefined && { q }), ...(sort !== undefined && { sort }) };
  return (
    <>
      <nav className="cl-tabs" aria-label="States">
        {[undefined, ...fqdnStates].map((one) => (
          <Link
            key={one ?? 'all'}
            activeOptions={{ exact: true }}
            to="/spaces/$spaceId"
            params={{ spaceId }}
            search={{ ...rest, ...(one !== undefined && { state: one }) }}
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
          void navigate({
            search: ({ q: _, ...others }) => ({ ...others, ...(text !== '' && { q: text }) }),
          });
        }}
      >
        <TextInput
          name="q"
          type="search"
          aria-label="Search names"
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
          onChange={({ currentTarget: { value } }) => {
            const chosen = fqdnSorts.find((one) => one === value);
            void navigate({
              search: ({ sort: _, ...others }) => ({
                ...others,
                ...(chosen !== undefined && chosen !== 'attention' && { sort: chosen }),
              }),
            });
          }}
        />
      </form>
    </>
  );
}
