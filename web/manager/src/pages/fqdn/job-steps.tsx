import {
  type Fqdn,
  type RequestStep,
  requestSteps,
  type StepReport,
  type StepStatus,
} from '@certloop/contracts/browser';
import {
  background,
  Fault,
  invalidateChanged,
  Loaded,
  lengthOf,
  type Mark,
  queryOptions,
  readableTimes,
  resourceOf,
  StateChip,
  sentenceOf,
  useNow,
  WaitingSteps,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';
import { remedyOf } from './job-remedy.js';

const names: Readonly<Record<RequestStep, string>> = {
  csrCheck: 'Check the CSR',
  policy: 'Check the issuance policy',
  existing: 'Look for a valid certificate',
  preflight: 'Check that the CA can see the proof',
  account: 'Use the account at the CA',
  order: 'Place the order',
  challenges: 'Prove control of the names',
  finalize: 'Send the CSR',
  download: 'Download the certificate',
  verify: 'Verify the certificate',
  store: 'Store it',
  schedule: 'Plan its renewal',
};

const marks: Readonly<Record<StepStatus, Mark>> = {
  pending: { tone: 'idle', shape: 'circle', word: 'not yet' },
  running: { tone: 'active', shape: 'turning', word: 'running' },
  ok: { tone: 'ok', shape: 'check', word: 'done' },
  warning: { tone: 'warn', shape: 'clock', word: 'warning' },
  skipped: { tone: 'idle', shape: 'circle', word: 'skipped' },
  failed: { tone: 'bad', shape: 'octagon', word: 'failed' },
  needs_confirmation: { tone: 'warn', shape: 'clock', word: 'asks you' },
  waiting_manual: { tone: 'warn', shape: 'clock', word: 'waits for you' },
};

/** The steps of a request for a certificate, live while it runs. */
export function JobSteps({
  jobId,
  fqdn: { id: fqdnId, spaceId },
  mayWrite,
}: {
  readonly jobId: string;
  readonly fqdn: Fqdn;
  readonly mayWrite: boolean;
}) {
  const queries = useQueryClient();
  const job = useQuery({
    ...queryOptions(api.getIssuanceJob, { params: { id: jobId }, headers: background }),
    refetchInterval: ({ state: { data } }) => (data?.finishedAt === undefined ? 1_000 : false),
  });
  const hasEnded = job.data?.finishedAt !== undefined;
  useEffect(() => {
    if (hasEnded) void invalidateChanged(queries, [fqdnResource(spaceId, fqdnId)]);
  }, [hasEnded, queries, spaceId, fqdnId]);
  return (
    <Loaded query={job} waiting={<WaitingSteps count={requestSteps.length} />}>
      {({ status, message, success, stepStatus }) => (
        <>
          <ol className="cl-steps" aria-label="Steps of the request">
            {requestSteps.map((step) => (
              <Step key={step} name={names[step]} report={stepStatus[step]} />
            ))}
          </ol>
          {!hasEnded && mayWrite && (
            <Actions
              jobId={jobId}
              isWaiting={status === 'waiting'}
              isCsrSent={stepStatus.finalize.status !== 'pending'}
            />
          )}
          <Fault>{hasEnded && !success ? readableTimes(message) : undefined}</Fault>
          {hasEnded && !success && mayWrite && <Remedy reports={Object.values(stepStatus)} />}
          {hasEnded && success && (
            <p className="cl-result" role="status">
              {readableTimes(message)}
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Shows what a person can do about an open request. */
function Actions({
  jobId,
  isWaiting,
  isCsrSent,
}: {
  readonly jobId: string;
  readonly isWaiting: boolean;
  readonly isCsrSent: boolean;
}) {
  const params = { id: jobId };
  const meta = { changes: [resourceOf(api.getIssuanceJob, { params })] };
  const continuing = useMutation({ mutationFn: () => api.continueIssuanceJob({ params }), meta });
  const cancelling = useMutation({ mutationFn: () => api.cancelIssuanceJob({ params }), meta });
  const error = continuing.error ?? cancelling.error;
  return (
    <>
      <div className="cl-row">
        {isWaiting && (
          <Button loading={continuing.isPending} onClick={() => continuing.mutate()}>
            I added it: continue
          </Button>
        )}
        {!isCsrSent && (
          <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
            Cancel the request
          </Button>
        )}
      </div>
      <Fault>{error === null ? undefined : sentenceOf(error)}</Fault>
    </>
  );
}

function Remedy({ reports }: { readonly reports: readonly StepReport[] }) {
  const text = remedyOf(reports, useNow());
  return text === undefined ? null : <p>{text}</p>;
}

function Step({ name, report }: { readonly name: string; readonly report: StepReport }) {
  const detail = report.error?.message ?? report.detail;
  return (
    <li>
      <StateChip {...marks[report.status]} />
      <span>
        {name}
        {detail !== undefined && <span className="cl-dim">: {readableTimes(detail)}</span>}
        <StepLength report={report} />
      </span>
    </li>
  );
}

/** How long a step took, or has been running. */
function StepLength({ report: { startedAt, finishedAt, status } }: { readonly report: StepReport }) {
  const now = useNow();
  if (startedAt === undefined) return null;
  const end = finishedAt === undefined ? now : Date.parse(finishedAt);
  if (finishedAt === undefined && status !== 'running' && status !== 'waiting_manual') return null;
  const seconds = Math.max(0, end - Date.parse(startedAt)) / 1_000;
  return (
    <span className="cl-dim">
      {finishedAt === undefined ? ', since ' : ', '}
      {lengthOf(seconds)}
    </span>
  );
}
