import type { FqdnState, OwnFqdn, RenewalExplanation } from '@certloop/contracts/browser';
import {
  exactTime,
  Fact,
  LifeLine,
  lifeSentence,
  relativeTime,
  useNow,
  wholeSentence,
  windowText,
} from '@certloop/web-kit';
import { endOf } from '../../certificate-end.js';
import { FqdnStateChip } from '../../names/fqdn-state.js';
import { RenewalSwitch } from '../../names/renewal-switch.js';

/** How long the newest certificate lives, when it is renewed and why, and the switch for that. */
export function LifeCard({
  fqdn,
  renewal,
  mayWrite,
}: {
  readonly fqdn: OwnFqdn;
  readonly renewal: RenewalExplanation;
  readonly mayWrite: boolean;
}) {
  return (
    <section className="cl-panel" aria-label="Validity and renewal">
      <div className="cl-title">
        <FqdnStateChip status={fqdn.status} />
        {mayWrite && <RenewalSwitch fqdn={fqdn} isOn={renewal.renewalEnabled} />}
      </div>
      {renewal.certificate !== undefined && <LifeFacts certificate={renewal.certificate} renewal={renewal} />}
      {sentencesOf(fqdn, renewal).map((sentence) => (
        <p key={sentence} className={harm[fqdn.status.state]}>
          {sentence}
        </p>
      ))}
      <WatchLink url={fqdn.status.watchUrl} />
    </section>
  );
}

/** When the certificate begins, is renewed and expires, drawn and in words. */
function LifeFacts({
  certificate,
  renewal,
}: {
  readonly certificate: NonNullable<RenewalExplanation['certificate']>;
  readonly renewal: RenewalExplanation;
}) {
  const now = useNow();
  const end = endOf(certificate);
  const renewAt = renewal.scheduledAt ?? (renewal.willRenew ? renewal.plan?.renewAt : undefined);
  const life = {
    notBefore: Date.parse(certificate.notBefore),
    renewAt: renewAt === undefined ? undefined : Date.parse(renewAt),
    expiresAt: Date.parse(end),
    window: windowOf(renewal),
  };
  return (
    <>
      <LifeLine life={life} now={now} sentence={lifeSentence(life, now)} />
      <dl className="cl-facts">
        <Fact title="Valid since">{exactTime(certificate.notBefore)}</Fact>
        {renewAt !== undefined && (
          <Fact title="Renewal">
            {exactTime(renewAt)}, {relativeTime(renewAt, now)}
          </Fact>
        )}
        {life.window !== undefined && (
          <Fact title="Window of the CA">{windowText(life.window)}, the lighter part of the line</Fact>
        )}
        <dt>{Date.parse(end) > now ? 'Expires' : 'Expired'}</dt>
        <dd>
          {exactTime(end)}, {relativeTime(end, now)}
        </dd>
      </dl>
    </>
  );
}

/** When the CA wants the certificate to be renewed; undefined where it does not say. */
function windowOf({ willRenew, plan }: RenewalExplanation) {
  if (!willRenew || plan?.rule !== 'window') return undefined;
  return { from: Date.parse(plan.earliest), to: Date.parse(plan.latest) };
}

/** How a state that needs a person is set off. */
const harm: Readonly<Partial<Record<FqdnState, string>>> = {
  expired: 'cl-fault',
  failing: 'cl-fault',
  due: 'cl-strip',
};

/** How the name stands and what to do; of what renews, also why at that moment. */
function sentencesOf({ status }: OwnFqdn, renewal: RenewalExplanation): readonly string[] {
  const isExplained = renewal.willRenew && (status.state === 'valid' || status.state === 'due');
  const sentences = status.state === 'valid' && isExplained ? [] : [status.reason];
  return [...sentences, ...(isExplained ? [renewal.message] : [])].map(wholeSentence);
}

/** The check of the name in the monitor, where its address is known. */
function WatchLink({ url }: { readonly url: string | undefined }) {
  if (url === undefined || !/^https?:\/\//.test(url)) return null;
  return (
    <p>
      <a href={url} rel="noreferrer">
        Show the check of this name in the monitor
      </a>
    </p>
  );
}
