import type { Inventory } from '@certloop/contracts/browser';
import {
  countOf,
  countText,
  EmptyState,
  Icon,
  Loaded,
  Moment,
  queryOptions,
  serviceUrl,
  useTitle,
  WaitingLines,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overview } from '../../changes/overview.js';
import type { FqdnFilter } from '../../lookups.js';
import { issuerText } from '../../names/issuer-text.js';
import { ownerWords } from '../../names/renewal-owner.js';
import { api } from '../../service.js';

/** Counts of the names by what is known of their certificates, each with the way to its names. */
export function InventoryPage() {
  useTitle('What do I have?', 'manager');
  const query = useQuery(overview(queryOptions(api.getInventory)));
  return (
    <>
      <div className="cl-title">
        <h1>What do I have?</h1>
        <Button
          component="a"
          href={`${serviceUrl()}/inventory.csv`}
          download
          variant="default"
          size="xs"
          leftSection={<Icon name="upload" size={16} />}
        >
          Export as CSV
        </Button>
      </div>
      <Loaded query={query} waiting={<WaitingLines count={12} />}>
        {(inventory) =>
          inventory.names === 0 ? (
            <EmptyState title="There is no name yet">
              <p>
                Watch the servers that you have, and see here who issued and who renews their certificates.
              </p>
              <Button renderRoot={(props) => <Link {...props} to="/watch-servers" />}>Watch servers</Button>
            </EmptyState>
          ) : (
            <Groups inventory={inventory} />
          )
        }
      </Loaded>
    </>
  );
}

/** A count, and the names behind it. */
interface Row {
  readonly key: string;
  readonly title: string;
  readonly note?: ReactNode;
  readonly names: number;
  readonly filter: FqdnFilter;
}

function Groups({ inventory }: { readonly inventory: Inventory }) {
  const { names, unfinished, renewedBy, issuers, authorities, keys } = inventory;
  return (
    <>
      <p>
        {countOf(names, 'name')}
        {unfinished > 0 && (
          <>
            , {countText(unfinished)} of them{' '}
            <Link to="/fqdns" search={{ state: 'unfinished' }}>
              without a certificate
            </Link>
          </>
        )}
        . <span className="cl-dim">Counted </span>
        <Moment at={inventory.computedAt} />.
      </p>
      <div className="cl-columns">
        <div className="cl-column">
          <Group
            title="Who renews them"
            rows={renewedBy.map((one) => ({
              key: one.renewedBy,
              title: ownerWords[one.renewedBy],
              names: one.names,
              filter: { renewedBy: one.renewedBy },
            }))}
          />
          <Group
            title="Issuers"
            rows={issuers.map((one) => ({
              key: one.issuer,
              title: issuerText(one.issuer),
              names: one.names,
              filter: { issuer: one.issuer },
            }))}
          />
        </div>
        <div className="cl-column">
          <Group
            title="Intermediates"
            rows={authorities.map((one) => ({
              key: one.sha256,
              title: issuerText(one.subject),
              note: (
                <>
                  expires <Moment at={one.expiresAt} />
                </>
              ),
              names: one.names,
              filter: { authority: one.sha256 },
            }))}
          />
          <Group
            title="Keys"
            rows={keys.map((one) => ({
              key: one.key,
              title: one.key,
              names: one.names,
              filter: { key: one.key },
            }))}
          />
        </div>
      </div>
    </>
  );
}

/** Rows with their counts as bars; each count leads to its names. */
function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const highest = Math.max(1, ...rows.map(({ names }) => names));
  return (
    <section className="cl-panel" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="cl-dim">None.</p>
      ) : (
        <table className="cl-table" aria-label={title}>
          <tbody>
            {rows.map(({ key, title: what, note, names, filter }) => (
              <tr key={key}>
                <th scope="row" title={key}>
                  <bdi className="cl-anywhere">{what}</bdi>
                  {note !== undefined && <div className="cl-dim">{note}</div>}
                </th>
                <td>
                  <svg
                    className="cl-share"
                    viewBox="0 0 100 10"
                    preserveAspectRatio="none"
                    aria-hidden="true"
                  >
                    <rect width={Math.max(1, (names / highest) * 100)} height="10" />
                  </svg>
                </td>
                <td>
                  <Link to="/fqdns" search={filter} aria-label={`${what}: ${countOf(names, 'name')}`}>
                    {countOf(names, 'name')}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
