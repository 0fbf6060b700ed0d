import type { Csr, Fqdn, Provider, RenewalExplanation } from '@certloop/contracts/browser';
import {
  ConfirmDialog,
  dayOf,
  Fault,
  Loaded,
  readableTimes,
  sentenceOf,
  useNow,
  WaitingLines,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { endOf } from '../../certificate-end.js';
import { useProviders } from '../../providers.js';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId');

/** A request for a certificate: whom it asks, and how it went. */
export function RequestCard({
  fqdn,
  renewal,
  csr,
}: {
  readonly fqdn: Fqdn;
  readonly renewal: RenewalExplanation | undefined;
  readonly csr: Csr | null | undefined;
}) {
  const providers = useProviders();
  return (
    <section className="cl-panel" aria-label="Request">
      <h2>Request a certificate</h2>
      {csr === null ? (
        <p className="cl-dim">First store a CSR: it says which key the certificate is for.</p>
      ) : (
        <Loaded query={providers} waiting={<WaitingLines count={3} />}>
          {(all) =>
            all.every(({ enabled }) => !enabled) ? (
              <p className="cl-dim">No provider is enabled. An administrator configures one.</p>
            ) : (
              <RequestForm
                fqdn={fqdn}
                renewal={renewal}
                csr={csr}
                providers={all.filter(({ enabled }) => enabled)}
              />
            )
          }
        </Loaded>
      )}
    </section>
  );
}

interface Outcome {
  readonly isDone: boolean;
  readonly message: string;
  readonly jobId?: string | undefined;
}

function RequestForm({
  fqdn,
  renewal,
  csr,
  providers,
}: {
  readonly fqdn: Fqdn;
  readonly renewal: RenewalExplanation | undefined;
  readonly csr: Csr | undefined;
  readonly providers: readonly Provider[];
}) {
  const usual = renewal?.provider?.id ?? fqdn.providerId;
  const [chosen, choose] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const provider = providers.find(({ id }) => id === (chosen ?? usual)) ?? providers[0];
  const now = useNow();
  const request = useRequest(fqdn, usual);
  if (provider === undefined) return null;
  const valid =
    renewal?.certificate !== undefined && Date.parse(endOf(renewal.certificate)) > now
      ? renewal.certificate
      : undefined;
  const send = () => request.mutate({ asked: provider });
  const outcome = request.data;
  return (
    <>
      <ProviderChoice providers={providers} chosen={provider.id} choose={choose} />
      <Button
        className="cl-long-button"
        aria-keyshortcuts="r"
        loading={request.isPending}
        onClick={valid === undefined ? send : () => setAsking(true)}
      >
        Request from {provider.displayName}
        {csr !== undefined && `, for the key of ${dayOf(csr.createdAt)}`}
      </Button>
      <Fault>{request.isError ? sentenceOf(request.error) : refusalOf(outcome)}</Fault>
      {outcome?.isDone === true && outcome.jobId === undefined && (
        <p className="cl-result" role="status">
          The certificate is issued. See the list of certificates below.
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Replace a valid certificate?"
          label="Request another one"
          color="indigo"
          act={async () => send()}
          close={() => setAsking(false)}
        >
          <p>
            The newest certificate of {fqdn.fqdn} is valid until{' '}
            {valid === undefined ? 'now' : dayOf(endOf(valid))}. It stays valid, and the new one is used from
            now on.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function ProviderChoice({
  providers,
  chosen,
  choose,
}: {
  readonly providers: readonly Provider[];
  readonly chosen: string;
  readonly choose: (id: string) => void;
}) {
  return (
    <label className="cl-stack">
      Provider
      <select className="cl-select" value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
        {providers.map(({ id, displayName }) => (
          <option key={id} value={id}>
            {displayName}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Requests a certificate for a name, and shows the steps of the request. */
function useRequest(fqdn: Fqdn, usual: string | undefined) {
  const navigate = route.useNavigate();
  return useMutation({
    mutationFn: ({ asked }: { readonly asked: Provider }) => requestFrom(fqdn, asked, asked.id === usual),
    onSuccess: ({ jobId }) => navigate({ search: jobId === undefined ? {} : { job: jobId }, replace: true }),
    meta: { changes: [fqdnResource(fqdn.spaceId, fqdn.id)] },
  });
}

/** The words of a CA that did not issue; undefined for one that did. */
function refusalOf(outcome: Outcome | undefined): string | undefined {
  return outcome?.isDone === false ? readableTimes(outcome.message) : undefined;
}

/** Whether CAs of a kind want proof of the names first. */
const wantsProof: Readonly<Record<Provider['kind'], boolean>> = { acme: true, 'dummy-ca': false };

/** Asks a provider that wants proof step by step, and any other in one call. */
async function requestFrom(fqdn: Fqdn, provider: Provider, isUsual: boolean): Promise<Outcome> {
  const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
  const isStepwise = wantsProof[provider.kind];
  const query = isStepwise ? { wait: '0' } : {};
  const { body, headers } =
    isStepwise && isUsual
      ? await api.requestCertificate({ params, query, body: { confirmed: true } })
      : await api.signCsr({ params, query, body: { providerId: provider.id } });
  const jobId = headers?.['location']?.split('/').at(-1);
  // as long as it goes on, its steps say how far it is
  return { isDone: body.success || jobId !== undefined, message: body.message, jobId };
}
