import type { Fqdn, RenewalExplanation } from '@certloop/contracts/browser';
import { exactTime, LifeLine, relativeTime, StateChip, sentenceOf, useNow } from '@certloop/web-kit';
import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../service.js';

/** How long the newest certificate lives, when it is renewed and why, and the switch for that. */
export function LifeCard({
  fqdn,
  renewal,
  mayWrite,
}: {
  readonly fqdn: Fqdn;
  readonly renewal: RenewalExplanation;
  readonly mayWrite: boolean;
}) {
  const now = useNow();
  const { certificate, plan, scheduledAt } = renewal;
  const renewAt = scheduledAt ?? (renewal.willRenew ? plan?.renewAt : undefined);
  return (
    <section className="cl-panel" aria-label="Validity and renewal">
      <div className="cl-title">
        <State renewal={renewal} now={now} />
        {mayWrite && <RenewalSwitch fqdn={fqdn} isOn={renewal.renewalEnabled} />}
      </div>
      {certificate !== undefined && (
        <>
          <LifeLine
            life={{
              notBefore: Date.parse(certificate.notBefore),
              renewAt: renewAt === undefined ? undefined : Date.parse(renewAt),
              expiresAt: Date.parse(certificate.expiresAt),
            }}
            now={now}
            sentence={lifeSentence(certificate.expiresAt, renewAt, now)}
          />
          <dl className="cl-facts">
            <dt>Valid since</dt>
            <dd>{exactTime(certificate.notBefore)}</dd>
            {renewAt !== undefined && (
              <>
                <dt>Renewal</dt>
                <dd>
                  {exactTime(renewAt)}, {relativeTime(renewAt, now)}
                </dd>
              </>
            )}
            <dt>{Date.parse(certificate.expiresAt) > now ? 'Expires' : 'Expired'}</dt>
            <dd>
              {exactTime(certificate.expiresAt)}, {relativeTime(certificate.expiresAt, now)}
            </dd>
          </dl>
        </>
      )}
      <p>{sentenceWith(renewal.message)}</p>
      {renewal.failure !== undefined && (
        <p className="cl-fault">
          The last renewal failed {relativeTime(renewal.failure.at, now)}: {renewal.failure.reason}
        </p>
      )}
    </section>
  );
}

function lifeSentence(expiresAt: string, renewAt: string | undefined, now: number): string {
  const end = Date.parse(expiresAt) > now ? 'The certificate expires' : 'The certificate expired';
  const renewal =
    renewAt === undefined ? 'Nothing renews it.' : `It is renewed ${relativeTime(renewAt, now)}.`;
  return `${end} ${relativeTime(expiresAt, now)}. ${renewal}`;
}

/** The text with a capital at its beginning and a full stop at its end. */
function sentenceWith(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function State({ renewal, now }: { readonly renewal: RenewalExplanation; readonly now: number }) {
  const { certificate, failure, outlook } = renewal;
  if (certificate === undefined) {
    return (
      <StateChip tone="idle" shape="circle">
        no certificate yet
      </StateChip>
    );
  }
  if (Date.parse(certificate.expiresAt) <= now) {
    return (
      <StateChip tone="bad" shape="octagon">
        expired
      </StateChip>
    );
  }
  if (certificate.revokedAt !== undefined || failure !== undefined) {
    return (
      <StateChip tone="bad" shape="triangle">
        {certificate.revokedAt === undefined ? 'renewal fails, still valid' : 'revoked'}
      </StateChip>
    );
  }
  if (outlook === 'running') {
    return (
      <StateChip tone="active" shape="turning">
        renewing
      </StateChip>
    );
  }
  return (
    <StateChip tone="ok" shape="check">
      valid
    </StateChip>
  );
}

function RenewalSwitch({ fqdn, isOn }: { readonly fqdn: Fqdn; readonly isOn: boolean }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (renewalEnabled: boolean) =>
      api.setRenewalEnabled({
        params: { spaceId: fqdn.spaceId, fqdnId: fqdn.id },
        body: { renewalEnabled },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['fqdns', fqdn.id] }),
  });
  // answers at once, and goes back when it is refused
  const shown = change.isPending ? change.variables : isOn;
  return (
    <Switch
      label="Renew automatically"
      checked={shown}
      error={change.isError ? sentenceOf(change.error) : undefined}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
}
