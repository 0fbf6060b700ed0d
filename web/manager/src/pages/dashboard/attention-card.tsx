import type { Fqdn } from '@certloop/contracts/browser';
import {
  countText,
  dayOf,
  Fault,
  hostText,
  Loaded,
  MovedRows,
  needsPerson,
  placesUpTo,
  readableTimes,
  sentenceOf,
  useNow,
  useSteadyRows,
  WaitingLine,
  WaitingLines,
  WaitingPart,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FqdnStateChip } from '../../names/fqdn-state.js';
import { fqdnResource } from '../../resources.js';
import { includesLevel, useRights } from '../../rights.js';
import { api } from '../../service.js';
import { useNeediest } from './dashboard-queries.js';
import { IntegrationsLink, WatchChip } from './watch-parts.js';
import { isSilent, useWatch } from './watch-state.js';

const maxRows = 8;

/** The names that need a person now, the longest first: why, since when, and what to do. */
export function AttentionCard({
  needsYou,
}: {
  /** How many names need a person; undefined until that is known. */
  readonly needsYou: number | undefined;
}) {
  const neediest = useNeediest(maxRows, needsYou !== undefined);
  const now = useNow();
  const { rows, moved, sortAnew } = useSteadyRows(
    neediest,
    {
      rows: neediest.data?.filter(({ status }) => needsPerson(status?.attentionAt, now)),
      hasMore: false,
    },
    { keyOf: ({ id }) => id, subject: JSON.stringify(useRights()) },
  );
  return (
    <section className="cl-panel" aria-label="What needs you">
      <h2>What needs you</h2>
      <SilentWatch />
      <Loaded query={neediest} waiting={<WaitingRows count={Math.min(maxRows, needsYou ?? 3)} />}>
        {() =>
          rows === undefined || rows.length === 0 ? (
            <p className="cl-dim">No name needs you now.</p>
          ) : (
            <>
              <MovedRows moved={moved} sortAnew={sortAnew} />
              <ul className="cl-rows">
                {rows.map((fqdn) => (
                  <Row key={fqdn.id} fqdn={fqdn} />
                ))}
                {needsYou !== undefined && needsYou > rows.length && (
                  <li>
                    <Link to="/fqdns">All {countText(needsYou)} names that need you</Link>
                  </li>
                )}
              </ul>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** That no one is notified of what happens to the names, which concerns all of them. */
function SilentWatch() {
  const watch = useWatch().data;
  if (!isSilent(watch)) return null;
  return (
    <div>
      <div className="cl-row">
        <WatchChip watch={watch} />
      </div>
      <p>
        {watch.message} <IntegrationsLink watch={watch} />
      </p>
    </div>
  );
}

/** In the place of so many rows; of a sentence for none. */
function WaitingRows({ count }: { readonly count: number }) {
  if (count === 0) return <WaitingLines count={1} />;
  return (
    <WaitingPart>
      <ul className="cl-rows" aria-hidden="true">
        {placesUpTo(count).map((place) => (
          <li key={place}>
            <div className="cl-row">
              <WaitingLine />
              <span className="cl-chip">&nbsp;</span>
            </div>
            <p>
              <WaitingLine />
            </p>
            <div className="cl-row cl-waiting-buttons" />
          </li>
        ))}
      </ul>
    </WaitingPart>
  );
}

function Row({ fqdn }: { readonly fqdn: Fqdn }) {
  const { id: fqdnId, spaceId, fqdn: name, status } = fqdn;
  if (status === undefined) return null;
  return (
    <li>
      <div className="cl-row">
        <Link className="cl-anywhere" to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
          {hostText(name)}
        </Link>
        <FqdnStateChip status={status} />
        {status.attentionAt !== undefined && (
          <span className="cl-dim">needs you since {dayOf(status.attentionAt)}</span>
        )}
      </div>
      <p className="cl-anywhere">{readableTimes(status.reason)}</p>
      <div className="cl-row">
        <Remedy fqdn={fqdn} />
        {status.watchUrl !== undefined && (
          <a href={status.watchUrl} rel="noreferrer" aria-label={`Check in the monitor: ${name}`}>
            Check in the monitor
          </a>
        )}
      </div>
    </li>
  );
}

/** The button that helps, where one does; else the way to the page on which a person can help. */
function Remedy({ fqdn }: { readonly fqdn: Fqdn }) {
  const { id: fqdnId, spaceId, status } = fqdn;
  const { everywhere } = useRights();
  const mayWrite = includesLevel(fqdn.level ?? everywhere, 'READ_WRITE');
  const remedy = mayWrite ? remedyOf(fqdn) : undefined;
  const act = useMutation({
    mutationFn: () => (remedy === 'retry' ? retry(spaceId, fqdnId) : switchOn(spaceId, fqdnId)),
    meta: { changes: [fqdnResource(spaceId, fqdnId)] },
  });
  if (remedy === undefined) {
    return (
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
        {linkTexts[status?.outlook ?? ''] ?? 'Open it'}
      </Link>
    );
  }
  const label = remedy === 'retry' ? 'Retry now' : 'Switch renewal on';
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={act.isPending}
        aria-label={`${label}: ${fqdn.fqdn}`}
        onClick={() => act.mutate()}
      >
        {label}
      </Button>
      <Fault>{act.isError ? sentenceOf(act.error) : undefined}</Fault>
      {act.isSuccess && <span role="status">Done. The state follows in a moment.</span>}
    </>
  );
}

const linkTexts: Readonly<Record<string, string>> = {
  no_csr: 'Upload a CSR',
  compromised_key: 'Upload a CSR with a new key',
  no_provider: 'Choose a provider',
  provider_off: 'Have a CSR signed by another provider',
  no_certificate: 'Finish it',
  renewed_by_client: 'See its ACME clients',
};

/** Returns what one button can do about a name: try its planned renewal now, or switch its renewal on. */
function remedyOf({ status }: Fqdn): 'retry' | 'switch-on' | undefined {
  if (status?.outlook === 'switched_off') return 'switch-on';
  const isPlanned = status?.outlook === 'retrying' || status?.outlook === 'scheduled';
  return status?.lastFailure !== undefined && isPlanned ? 'retry' : undefined;
}

async function retry(spaceId: string, fqdnId: string): Promise<void> {
  const { body } = await api.explainRenewal({ params: { spaceId, fqdnId } });
  if (body.entry === undefined) throw new Error('No renewal is planned any more.');
  await api.runRenewal({ params: { id: body.entry.id } });
}

async function switchOn(spaceId: string, fqdnId: string): Promise<void> {
  await api.setRenewalEnabled({ params: { spaceId, fqdnId }, body: { renewalEnabled: true } });
}
