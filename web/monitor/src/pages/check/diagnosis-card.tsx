import type { Check, ReadOnlyCheck } from '@certloop/contracts/browser';
import {
  Fact,
  Fault,
  Loaded,
  live,
  sentenceOf,
  spanText,
  WaitingLine,
  WaitingPart,
  withMoments,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { diagnosisQuery } from '../../lookups.js';
import { projectResource } from '../../resources.js';
import { ScheduleText } from '../../schedule-text.js';
import { projectApi } from '../../service.js';

/** Why the check is in its state, and its schedule. */
export function DiagnosisCard({
  projectId,
  checkId,
  check,
  canChange,
}: {
  readonly projectId: string;
  readonly checkId: string;
  readonly check: Check | ReadOnlyCheck;
  readonly canChange: boolean;
}) {
  const diagnosis = useQuery(diagnosisQuery(projectId, checkId, check));
  const mend = useMutation({
    mutationFn: (tz: string) =>
      projectApi(projectId).updateCheck({
        params: { id: checkId },
        body: { schedule: check.schedule ?? '', tz },
      }),
    meta: { changes: [projectResource(projectId)] },
  });
  return (
    <section className="cl-panel" aria-label="State" data-tone={check.status === 'down' ? 'bad' : undefined}>
      <Loaded query={diagnosis} refresh={live(15_000)} waiting={<WaitingDiagnosis />}>
        {({ sentence, moments, zoneHint }) => (
          <>
            <p className="cl-sentence">{withMoments(sentence, moments)}</p>
            {zoneHint !== undefined && (
              <div className="cl-strip cl-row">
                <span>
                  {zoneHint.matches} of the last {zoneHint.of} pings fit this schedule in {zoneHint.tz}, none
                  in {check.tz}.
                </span>
                {canChange && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={mend.isPending}
                    onClick={() => mend.mutate(zoneHint.tz)}
                  >
                    Use {zoneHint.tz}
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </Loaded>
      <Fault>{mend.isError ? sentenceOf(mend.error) : undefined}</Fault>
      <CheckFacts check={check} />
    </section>
  );
}

/** In the place of a sentence of usual length. */
function WaitingDiagnosis() {
  return (
    <WaitingPart>
      <p className="cl-sentence">
        <WaitingLine />
        <WaitingLine />
      </p>
    </WaitingPart>
  );
}

function CheckFacts({ check }: { readonly check: Check | ReadOnlyCheck }) {
  return (
    <dl className="cl-facts">
      <Fact title="Schedule">
        <ScheduleText check={check} isExact />
      </Fact>
      <Fact title="Grace time">{spanText(check.grace)}</Fact>
      {check.desc !== '' && (
        <>
          <dt>Description</dt>
          <dd className="cl-lines">{check.desc}</dd>
        </>
      )}
    </dl>
  );
}
