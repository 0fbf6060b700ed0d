import { type FqdnCounts, type FqdnSort, fqdnSorts, fqdnStates } from '@certloop/contracts/browser';
import { countText, dayOf, SearchForm } from '@certloop/web-kit';
import { Button, NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FqdnFilter } from '../lookups.js';
import { providerName, useProviders } from '../providers.js';
import { stateMarks } from './fqdn-state.js';
import { issuerText } from './issuer-text.js';

const sortLabels: Readonly<Record<FqdnSort, string>> = {
  attention: 'By need',
  expiresAt: 'By expiry',
  renewAt: 'By renewal',
  fqdn: 'By name',
  createdAt: 'By creation',
};

export interface NamesToolbarProps {
  /** Undefined while it is not known how many names a state would show. */
  readonly counts: FqdnCounts | undefined;
  readonly filter: FqdnFilter;
  readonly setFilter: (filter: FqdnFilter) => void;
}

/** States with their counts, a search, conditions and an order; all of them are part of the address of the page. */
export function NamesToolbar({ counts, filter, setFilter }: NamesToolbarProps) {
  const { q, sort } = filter;
  return (
    <>
      <States counts={counts} filter={filter} />
      <SearchForm
        label="Search names"
        maxLength={253}
        q={q}
        search={(text) => setFilter(filterWith(filter, 'q', text ?? ''))}
      >
        <NativeSelect
          aria-label="Order"
          value={sort ?? 'attention'}
          data={fqdnSorts.map((value) => ({ value, label: sortLabels[value] }))}
          onChange={({ currentTarget: { value } }) => setFilter(withSort(filter, value))}
        />
        <RenewalChoice filter={filter} setFilter={setFilter} />
        <ProviderChoice filter={filter} setFilter={setFilter} />
        <ExpiryChoice filter={filter} setFilter={setFilter} />
      </SearchForm>
      <Conditions filter={filter} setFilter={setFilter} />
    </>
  );
}

const owners = [
  { value: 'acme_client', label: 'By an ACME client' },
  { value: 'elsewhere', label: 'Elsewhere' },
  { value: 'none', label: 'By nothing known' },
] as const;

/** Whether CertLoop renews a name, or who else. */
function RenewalChoice({ filter, setFilter }: Pick<NamesToolbarProps, 'filter' | 'setFilter'>) {
  const { renewal, renewedBy, ...others } = filter;
  const choose = (value: string) => {
    const owner = owners.find((one) => one.value === value)?.value;
    const onOrOff = (['on', 'off'] as const).find((word) => word === value);
    setFilter({
      ...others,
      ...(owner !== undefined && { renewedBy: owner }),
      ...(onOrOff !== undefined && { renewal: onOrOff }),
    });
  };
  return (
    <NativeSelect
      aria-label="Renewal"
      value={renewedBy === 'certloop' ? 'on' : (renewedBy ?? renewal ?? '')}
      data={[
        { value: '', label: 'Renewal on or off' },
        { value: 'on', label: 'Renewal on' },
        { value: 'off', label: 'Renewal off' },
        ...owners,
      ]}
      onChange={({ currentTarget: { value } }) => choose(value)}
    />
  );
}

function ProviderChoice({ filter, setFilter }: Pick<NamesToolbarProps, 'filter' | 'setFilter'>) {
  const { data: providers = [] } = useProviders();
  return (
    <NativeSelect
      aria-label="Provider"
      // the choices fit in one line beside the menu of a usual screen
      maw="11.5rem"
      value={filter.providerId ?? ''}
      data={[
        { value: '', label: 'Any provider' },
        ...providers.map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      onChange={({ currentTarget: { value } }) => setFilter(filterWith(filter, 'providerId', value))}
    />
  );
}

const dayMs = 86_400_000;

/** Certificates that expire within some days from now; another period may come from a link. */
function ExpiryChoice({ filter, setFilter }: Pick<NamesToolbarProps, 'filter' | 'setFilter'>) {
  const { expiresFrom, expiresBefore, ...others } = filter;
  const isSet = expiresFrom !== undefined || expiresBefore !== undefined;
  const choose = (days: string) => {
    if (days === '') return setFilter(others);
    const now = Date.now();
    setFilter({
      ...others,
      expiresFrom: new Date(now).toISOString(),
      expiresBefore: new Date(now + Number(days) * dayMs).toISOString(),
    });
  };
  return (
    <NativeSelect
      aria-label="Expiry"
      value={isSet ? 'set' : ''}
      data={[
        { value: '', label: 'Any expiry' },
        ...(isSet ? [{ value: 'set', label: 'As below' }] : []),
        ...[7, 30, 90].map((days) => ({ value: String(days), label: `Expires within ${days} days` })),
      ]}
      onChange={({ currentTarget: { value } }) => {
        if (value !== 'set') choose(value);
      }}
    />
  );
}

function States({ counts, filter }: Pick<NamesToolbarProps, 'counts' | 'filter'>) {
  const labelOf = (word: string, count: number | undefined) =>
    count === undefined ? word : `${word} ${countText(count)}`;
  return (
    <nav className="cl-tabs" aria-label="States">
      {[undefined, ...fqdnStates].map((one) => (
        <Link
          key={one ?? 'all'}
          activeOptions={{ exact: true }}
          to="."
          search={filterWith(filter, 'state', one ?? '')}
          aria-current={one === filter.state || undefined}
        >
          {one === undefined ? labelOf('All', counts?.total) : labelOf(stateMarks[one].word, counts?.[one])}
        </Link>
      ))}
    </nav>
  );
}

/** Conditions that other pages link with, each with a button that drops it. */
function Conditions({ filter, setFilter }: Pick<NamesToolbarProps, 'filter' | 'setFilter'>) {
  const { providerId, expiresFrom, expiresBefore, ...others } = filter;
  const providers = useProviders().data;
  const shown = [
    ...certificateConditions(filter),
    ...(providerId === undefined
      ? []
      : [
          {
            text: `The next certificate comes from ${providerName(providers, providerId)}`,
            without: { ...others, expiresFrom, expiresBefore },
          },
        ]),
    ...(expiresFrom === undefined && expiresBefore === undefined
      ? []
      : [{ text: periodText(expiresFrom, expiresBefore), without: { ...others, providerId } }]),
  ];
  return shown.map(({ text, without }) => (
    <div key={text} className="cl-row">
      <span>{text}.</span>
      <Button size="xs" variant="subtle" onClick={() => setFilter(without)}>
        Show all
      </Button>
    </div>
  ));
}

/** Conditions on the newest certificate. */
function certificateConditions(filter: FqdnFilter) {
  const { issuer, key, authority, ...others } = filter;
  return [
    ...(issuer === undefined
      ? []
      : [{ text: `The issuer is ${issuerText(issuer)}`, without: { ...others, key, authority } }]),
    ...(key === undefined ? [] : [{ text: `The key is ${key}`, without: { ...others, issuer, authority } }]),
    ...(authority === undefined
      ? []
      : [
          {
            text: `The intermediate has the fingerprint ${authority.slice(0, 16)}…`,
            without: { ...others, issuer, key },
          },
        ]),
  ];
}

function periodText(from: string | undefined, before: string | undefined): string {
  const begin = from === undefined ? '' : ` from ${dayOf(from)} on`;
  return `The certificate expires${begin}${before === undefined ? '' : ` before ${dayOf(before)}`}`;
}

/** The filter with another value of a member; an empty one is omitted. */
function filterWith(
  filter: FqdnFilter,
  name: 'q' | 'state' | 'renewal' | 'providerId',
  value: string,
): FqdnFilter {
  const { [name]: _, ...others } = filter;
  return value === '' ? others : { ...others, [name]: value };
}

/** The filter with another order; the usual one is omitted. */
export function withSort({ sort: _, ...others }: FqdnFilter, value: string): FqdnFilter {
  const sort = fqdnSorts.find((one) => one === value);
  return { ...others, ...(sort !== undefined && sort !== 'attention' && { sort }) };
}
