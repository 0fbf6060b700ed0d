import type { PublicReadiness } from '@certloop/contracts/browser';
import {
  countOf,
  DataTable,
  hostText,
  Loaded,
  queryOptions,
  useTitle,
  WaitingTable,
} from '@certloop/web-kit';
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../service.js';

/** Shows what the rules for public certificates break on a day, and what to do about it. */
export function ReadinessPage() {
  useTitle('Readiness', 'manager');
  const { on } = useSearch({ from: '/inside/readiness' });
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const query = useQuery(queryOptions(api.getPublicReadiness, { query: { on: on ?? today } }));
  return (
    <>
      <h1>Readiness</h1>
      <p className="cl-dim">
        Names whose next certificate, if it were issued on the day, would break a rule for public
        certificates. Certificates in use stay valid until they end.
      </p>
      <Loaded query={query} waiting={<WaitingTable columns={columns} />}>
        {(found) => <Found found={found} today={today} />}
      </Loaded>
    </>
  );
}

function Found({ found, today }: { readonly found: PublicReadiness; readonly today: string }) {
  return (
    <>
      <DayPicker found={found} today={today} />
      <section className="cl-panel" aria-label="What breaks">
        <h2>What breaks on {found.on}</h2>
        <p className="cl-sentence">
          Certificates of public CAs: {found.certificates.public} of {found.certificates.total} in use.
        </p>
        {found.breaks.length === 0 ? (
          <p className="cl-dim">No rule breaks a name.</p>
        ) : (
          <DataTable
            label="What breaks"
            columns={columns}
            rows={breakRows(found)}
            rowKey={({ key }) => key}
          />
        )}
      </section>
      <Handwork found={found} />
      <Rules found={found} />
    </>
  );
}

/** The days of the calendar as choices, and any other day. */
function DayPicker({ found, today }: { readonly found: PublicReadiness; readonly today: string }) {
  const navigate = useNavigate();
  const show = (on: string) => {
    if (/^\d{4}-\d\d-\d\d$/.test(on)) void navigate({ to: '/readiness', search: { on } });
  };
  const days = [...new Set([today, ...found.dates, found.on])].toSorted();
  return (
    <div className="cl-row">
      <NativeSelect
        label="Day of a rule"
        value={found.on}
        onChange={({ currentTarget }) => show(currentTarget.value)}
        data={days.map((day) => ({ value: day, label: day === today ? `${day} (today)` : day }))}
      />
      <TextInput
        key={found.on}
        label="Any day"
        type="date"
        min={today}
        defaultValue={found.on}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value !== found.on) show(currentTarget.value);
        }}
      />
    </div>
  );
}

function Handwork({ found }: { readonly found: PublicReadiness }) {
  const { handwork, capacity, renewedElsewhere } = found;
  return (
    <section className="cl-panel" aria-label="Work by hand">
      <h2>Renewals that need a person</h2>
      <p className="cl-sentence">
        {countOf(handwork.names, 'name')}: {handwork.hoursPerMonth} hours a month with the lifetimes of that
        day, {handwork.hoursPerMonthToday} with those of today, at {handwork.minutesPerRenewal} minutes for
        each renewal. {countOf(capacity.names, 'name')} renewed automatically: {capacity.renewalsPerDay}{' '}
        renewals a day, today {capacity.renewalsPerDayToday}. {countOf(renewedElsewhere, 'name')} renewed
        elsewhere.
      </p>
      {handwork.reasons.length > 0 && (
        <DataTable
          label="Work by hand"
          columns={columns}
          rows={handwork.reasons.map((reason) => ({
            ...reason,
            key: reason.code,
            title: words[reason.code],
          }))}
          rowKey={({ key }) => key}
        />
      )}
    </section>
  );
}

function Rules({ found }: { readonly found: PublicReadiness }) {
  return (
    <section className="cl-panel" aria-label="Rules">
      <h2>Rules that hold on {found.on}</h2>
      <DataTable
        label="Rules"
        columns={ruleColumns}
        rows={found.rules.toReversed()}
        rowKey={({ code }) => code}
      />
    </section>
  );
}

const words: Readonly<
  Record<
    PublicReadiness['breaks'][number]['code'] | PublicReadiness['handwork']['reasons'][number]['code'],
    string
  >
> = {
  lifetime_too_long: 'Lifetime is longer than allowed',
  lead_time_too_long: 'Lead time is longer than the lifetime',
  lead_time_too_short: 'Lead time is too short',
  client_auth: 'In use for clients',
  name_not_certified: 'Name is not certified',
  no_renewal_information: 'CA has no renewal information',
  no_profile: 'Provider names no profile',
  no_csr: 'No CSR',
  no_provider: 'No provider',
  manual_proof: 'Proofs by hand',
  renewal_off: 'Renewal is off',
};

interface BreakRow {
  readonly key: string;
  readonly title: string;
  readonly rule?: PublicReadiness['rules'][number] | undefined;
  readonly count: number;
  readonly names: PublicReadiness['breaks'][number]['names'];
  readonly action: string;
}

function breakRows({ breaks, rules }: PublicReadiness): BreakRow[] {
  return breaks.map(({ code, rule, ...group }) => ({
    ...group,
    key: `${code} ${rule}`,
    title: words[code],
    rule: rules.find((each) => each.code === rule),
  }));
}

const shownNames = 5;

const columns = [
  {
    key: 'what',
    title: 'What',
    cell: ({ title, rule }: BreakRow) => (
      <>
        {title}
        {rule !== undefined && (
          <div className="cl-dim">
            <a href={rule.source} target="_blank" rel="noreferrer">
              {rule.rule}
            </a>{' '}
            ({subjects[rule.subject]}, {rule.from})
          </div>
        )}
      </>
    ),
  },
  { key: 'count', title: 'Names', width: '5rem', cell: ({ count }: BreakRow) => count },
  {
    key: 'names',
    title: 'Such as',
    width: '14rem',
    cell: ({ names, count }: BreakRow) => (
      <>
        {names.slice(0, shownNames).map(({ fqdnId, spaceId, fqdn }) => (
          <div key={fqdnId}>
            <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
              {hostText(fqdn)}
            </Link>
          </div>
        ))}
        {count > shownNames && <span className="cl-dim">and {count - shownNames} more</span>}
      </>
    ),
  },
  { key: 'action', title: 'What to do', cell: ({ action }: BreakRow) => action },
] as const;

const certainties: Readonly<Record<PublicReadiness['rules'][number]['certainty'], string>> = {
  in_force: 'in force',
  decided: 'decided',
  announced: 'announced',
};

const subjects: Readonly<Record<PublicReadiness['rules'][number]['subject'], string>> = {
  public_cas: 'All public CAs',
  chrome: 'Chrome',
  lets_encrypt: 'Let’s Encrypt',
  google: 'Google Trust Services',
  sectigo: 'Sectigo',
  digicert: 'DigiCert',
};

const ruleColumns = [
  {
    key: 'from',
    title: 'From',
    width: '7rem',
    cell: ({ from }: PublicReadiness['rules'][number]) => from,
  },
  {
    key: 'subject',
    title: 'Who',
    width: '11rem',
    cell: ({ subject }: PublicReadiness['rules'][number]) => subjects[subject],
  },
  {
    key: 'rule',
    title: 'Rule',
    cell: ({ rule, source, judged }: PublicReadiness['rules'][number]) => (
      <>
        <a href={source} target="_blank" rel="noreferrer">
          {rule}
        </a>
        {!judged && <div className="cl-dim">Not judged here: check it yourself.</div>}
      </>
    ),
  },
  {
    key: 'certainty',
    title: 'Certainty',
    width: '7rem',
    cell: ({ certainty }: PublicReadiness['rules'][number]) => certainties[certainty],
  },
] as const;
