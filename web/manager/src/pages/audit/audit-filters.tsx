import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type AuditFilter, auditFilterIn } from '../../audit/audit-filter.js';

const subjects = [
  [undefined, 'Everything'],
  ['certificate.*', 'Certificates'],
  ['csr.*', 'CSRs'],
  ['fqdn.*', 'Names'],
  ['queue.*', 'Renewals'],
  ['space.*', 'Spaces'],
  ['provider.*', 'Providers'],
  ['user.*', 'Users'],
  ['group.*', 'Groups'],
  ['auth.*', 'Sign-in'],
] as const;

interface FiltersProps {
  readonly filter: AuditFilter;
  readonly setFilter: (filter: AuditFilter) => void;
}

/** Chooses what the log shows: a subject, and a user, an outcome, days and a text. */
export function AuditFilters({ filter, setFilter }: FiltersProps) {
  return (
    <>
      <Subjects filter={filter} />
      {/* another address writes its values into the fields */}
      <Conditions key={JSON.stringify(filter)} filter={filter} setFilter={setFilter} />
    </>
  );
}

function Subjects({ filter: { action, ...others } }: Pick<FiltersProps, 'filter'>) {
  return (
    <nav className="cl-tabs" aria-label="Subjects">
      {subjects.map(([prefix, label]) => (
        <Link
          key={label}
          activeOptions={{ exact: true }}
          to="/audit"
          search={{ ...others, ...(prefix !== undefined && { action: prefix }) }}
          aria-current={prefix === action || undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

const outcomes = [
  { value: '', label: 'Any outcome' },
  { value: 'success', label: 'Done' },
  { value: 'failure', label: 'Failed' },
  { value: 'denied', label: 'Denied' },
] as const;

function Conditions({ filter, setFilter }: FiltersProps) {
  const [text, setText] = useState(filter.q ?? '');
  const { action, ...conditions } = filter;
  return (
    <form
      className="cl-row"
      data-search=""
      onSubmit={(event) => {
        event.preventDefault();
        const typed = Object.fromEntries(
          [...new FormData(event.currentTarget)].map(([key, value]) => [key, String(value).trim()]),
        );
        setFilter({ ...(action !== undefined && { action }), ...auditFilterIn(typed) });
      }}
    >
      <TextInput
        name="user"
        aria-label="User name"
        placeholder="User name"
        defaultValue={filter.user ?? ''}
        maxLength={64}
        w={160}
      />
      <NativeSelect
        name="outcome"
        aria-label="Outcome"
        defaultValue={filter.outcome ?? ''}
        data={[...outcomes]}
      />
      <Days filter={filter} isSearch={text.trim() !== ''} />
      <TextInput
        name="q"
        type="search"
        aria-label="Text in the details"
        aria-keyshortcuts="/"
        placeholder="Text in the details"
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        maxLength={200}
      />
      <Button type="submit" variant="default">
        Filter
      </Button>
      {Object.keys(conditions).length > 0 && (
        <Button variant="subtle" onClick={() => setFilter(action === undefined ? {} : { action })}>
          Show all
        </Button>
      )}
    </form>
  );
}

/** The first and the last day of what is shown. */
function Days({ filter, isSearch }: Pick<FiltersProps, 'filter'> & { readonly isSearch: boolean }) {
  return (
    <>
      <span className="cl-dim">from</span>
      <TextInput
        name="from"
        type="date"
        aria-label="First day"
        title="First day; a search for a text needs it"
        defaultValue={filter.from ?? ''}
        // the service reads every entry of these days
        required={isSearch}
      />
      <span className="cl-dim">to</span>
      <TextInput
        name="to"
        type="date"
        aria-label="Last day"
        title="Last day"
        defaultValue={filter.to ?? ''}
      />
    </>
  );
}
