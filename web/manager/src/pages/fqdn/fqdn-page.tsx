import type { Csr, OwnFqdn, RenewalExplanation } from '@certloop/contracts/browser';
import {
  ErrorPanel,
  hostText,
  Loaded,
  listOptions,
  listPageOf,
  queryOptions,
  Steps,
  useList,
  useTitle,
  WaitingFacts,
  WaitingLines,
  WaitingPage,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { fqdnQuery } from '../../lookups.js';
import { NameLabels } from '../../names/name-labels.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceCrumbs } from '../../spaces/space-crumbs.js';
import { AcmeLineagesCard } from './acme-lineages-card.js';
import { ChallengeCard } from './challenge-card.js';
import { CsrCard, StoredCsrCard } from './csr-card.js';
import { LifeCard } from './life-card.js';
import { NameActions } from './name-actions.js';
import { NameHistory } from './name-history.js';
import { RequestCard } from './request-card.js';
import { StepsCard } from './requests.js';
import { ServedCard } from './served-card.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId');

/** One name: how long its certificate lives, its CSR, a request for a certificate, what is served, and its history. */
export function FqdnPage() {
  const { spaceId, fqdnId } = route.useParams();
  const place = { spaceId, fqdnId };
  const fqdn = useQuery(fqdnQuery(spaceId, fqdnId));
  const renewal = useRenewal(place);
  const csr = useCsrs(place);
  useTitle(fqdn.data?.fqdn ?? 'Name', 'manager');
  if (fqdn.isError && fqdn.data === undefined) {
    return <ErrorPanel error={fqdn.error} retry={() => void fqdn.refetch()} />;
  }
  return (
    <>
      <SpaceCrumbs spaceId={spaceId} name={fqdn.data?.spaceName} />
      <Loaded query={fqdn} waiting={<WaitingPage />}>
        {(name) => {
          const mayWrite = includesLevel(name.level, 'READ_WRITE');
          return (
            <>
              <div className="cl-title">
                <h1 className={name.fqdn.length > maxTitle ? 'cl-title-long' : undefined}>
                  {hostText(name.fqdn)}
                </h1>
                <NameActions fqdn={name} />
              </div>
              {name.description !== '' && <p className="cl-dim">{name.description}</p>}
              <NameLabels fqdn={name} />
              <Loaded query={renewal} waiting={<WaitingCard facts={3} />}>
                {(explanation) => <LifeCard fqdn={name} renewal={explanation} mayWrite={mayWrite} />}
              </Loaded>
              <AcmeLineagesCard fqdn={name} />
              {mayWrite && <FirstCertificate fqdn={name} csrs={csr} />}
              <NextCertificate fqdn={name} renewal={renewal.data} csrs={csr} mayWrite={mayWrite} />
              <StepsCard fqdn={name} mayWrite={mayWrite} />
              {name.status.certificate !== undefined && <ServedCard fqdn={name} mayWrite={mayWrite} />}
              <NameHistory fqdn={name} csrs={csr} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Longer names are written smaller in the title. */
const maxTitle = 64;

/** In the place of a card with a title and so many facts. */
function WaitingCard({ facts }: { readonly facts: number }) {
  return (
    <div className="cl-panel">
      <WaitingLines count={2} />
      <WaitingFacts count={facts} />
    </div>
  );
}

interface Place {
  readonly spaceId: string;
  readonly fqdnId: string;
}

/** When and why the certificate of a name will be renewed. */
function useRenewal(place: Place) {
  return useQuery(queryOptions(api.explainRenewal, { params: place }));
}

/** The CSRs of a name, the newest first, page by page. */
function useCsrs({ spaceId, fqdnId }: Place) {
  const input = { params: { spaceId, fqdnId }, query: { order: 'desc', limit: '50' } } as const;
  return useList<Csr>(
    listOptions(api.listCsrs, input, {
      pageOf: ({ body, headers }) => listPageOf(Array.isArray(body) ? body : [body], headers),
    }),
  );
}

/** The way to the first certificate of a name; nothing once there is one. */
function FirstCertificate({
  fqdn: { status, renewalEnabled },
  csrs,
}: {
  readonly fqdn: OwnFqdn;
  readonly csrs: ReturnType<typeof useCsrs>;
}) {
  if (status.certificate !== undefined || csrs.rows === undefined) return null;
  const steps = [
    {
      key: 'csr',
      isDone: csrs.rows.length > 0,
      text: 'Create a key and a CSR on your machine, and upload the CSR. The key stays with you.',
    },
    { key: 'request', isDone: false, text: 'Request the certificate.' },
    { key: 'renewal', isDone: renewalEnabled, text: 'Switch the automatic renewal on.' },
  ];
  return (
    <section className="cl-panel" aria-label="First certificate">
      <Steps label="Steps to the first certificate" steps={steps} />
    </section>
  );
}

/**
 * Shows what the next certificate is made of: the CSR, and, for those who may ask for it, the request and its proof.
 */
function NextCertificate({
  fqdn,
  renewal,
  csrs,
  mayWrite,
}: {
  readonly fqdn: OwnFqdn;
  readonly renewal: RenewalExplanation | undefined;
  readonly csrs: ReturnType<typeof useCsrs>;
  readonly mayWrite: boolean;
}) {
  const newestCsr = csrs.rows && (csrs.rows[0] ?? null);
  return (
    <div className={mayWrite ? 'cl-columns' : 'cl-column'}>
      <div className="cl-column">
        <Loaded query={csrs.query} waiting={<WaitingCard facts={3} />}>
          {() =>
            mayWrite ? (
              <CsrCard fqdn={fqdn} csr={newestCsr ?? null} />
            ) : (
              <StoredCsrCard csr={newestCsr ?? null} />
            )
          }
        </Loaded>
      </div>
      {mayWrite && (
        <div className="cl-column">
          <RequestCard fqdn={fqdn} renewal={renewal} csr={newestCsr} />
          <ChallengeCard fqdn={fqdn} />
        </div>
      )}
    </div>
  );
}
