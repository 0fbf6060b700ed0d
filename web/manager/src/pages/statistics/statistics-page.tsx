import type { Stats } from '@certloop/contracts/browser';
import { countOf, countText, Fault, sentenceOf, useTitle } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, type ToOptions } from '@tanstack/react-router';
import { useState } from 'react';
import type { FqdnFilter } from '../../lookups.js';
import { ExpiryCard } from '../../outlook/expiry-card.js';
import { SlackCard } from '../../outlook/slack-card.js';
import { api } from '../../service.js';

/** When certificates expire, how long each CA may be away, and how much there is of everything. */
export function StatisticsPage() {
  useTitle('Statistics', 'manager');
  return (
    <>
      <h1>Statistics</h1>
      <div className="cl-columns">
        <div className="cl-column">
          <ExpiryCard />
          <CountsCard />
        </div>
        <div className="cl-column">
          <SlackCard />
        </div>
      </div>
    </>
  );
}

/** Counts of everything, which take the service seconds where there is much: only when a person asks. */
function CountsCard() {
  const count = useMutation({
    mutationFn: async () => (await api.getStats({ query: { detail: 'true' } })).body,
  });
  return (
    <section className="cl-panel" aria-label="Counts">
      <h2>Counts of everything</h2>
      <p className="cl-dim">Counting takes some seconds if there are many certificates.</p>
      <div className="cl-row">
        <Button variant="default" loading={count.isPending} onClick={() => count.mutate()}>
          Count now
        </Button>
      </div>
      <Fault>{count.isError ? sentenceOf(count.error) : undefined}</Fault>
      {count.data !== undefined && <Counts stats={count.data} />}
    </section>
  );
}

function Counts({ stats }: { readonly stats: Stats }) {
  const [now] = useState(Date.now);
  const facts: readonly (readonly [string, number | undefined, ToOptions?])[] = [
    ['Spaces', stats.spaces, { to: '/spaces' }],
    ['Names', stats.fqdns, { to: '/fqdns' }],
    ['CSRs', stats.csrs],
    ['Certificates', stats.certificates],
    ['In use, expire within 7 days', stats.expiringWithin7Days, { to: '/fqdns', search: within(now, 7) }],
    ['In use, expire within 30 days', stats.expiringWithin30Days, { to: '/fqdns', search: within(now, 30) }],
    ['Failed renewals', stats.failedRenewals, { to: '/renewals', search: { status: 'failed' } }],
  ];
  return (
    <>
      <dl className="cl-facts">
        {facts.map(
          ([title, count, link]) =>
            count !== undefined && (
              <div className="cl-pair" key={title}>
                <dt>{title}</dt>
                <dd>
                  {link === undefined ? (
                    countText(count)
                  ) : (
                    <Link {...link} aria-label={`${title}: ${countText(count)}`}>
                      {countText(count)}
                    </Link>
                  )}
                </dd>
              </div>
            ),
        )}
      </dl>
      <Shares title="Certificates by provider" noun="certificate" counts={stats.certificatesByProvider} />
      <Shares title="CSRs by the algorithm of their key" noun="CSR" counts={stats.csrsByAlgorithm} />
    </>
  );
}

/** Names whose certificate ends within so many days. */
function within(now: number, days: number): FqdnFilter {
  const expiresBefore = new Date(now + days * 86_400_000).toISOString();
  return { expiresFrom: new Date(now).toISOString(), expiresBefore, sort: 'expiresAt' };
}

/** Counts by name as bars, the largest first; each bar is a row with its number, so no table is needed beside. */
function Shares({
  title,
  noun,
  counts = {},
}: {
  readonly title: string;
  readonly noun: string;
  readonly counts: Readonly<Record<string, number>> | undefined;
}) {
  const rows = Object.entries(counts).toSorted(([, one], [, other]) => other - one);
  const highest = Math.max(1, ...rows.map(([, count]) => count));
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <table className="cl-table" aria-label={title}>
        <tbody>
          {rows.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <svg className="cl-share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Math.max(1, (count / highest) * 100)} height="10" />
                </svg>
              </td>
              <td>{countOf(count, noun)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
