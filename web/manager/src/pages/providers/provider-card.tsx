import type { Provider } from '@certloop/contracts/browser';
import {
  ConfirmDialog,
  countOf,
  countText,
  Fact,
  Fault,
  Moment,
  readableTimes,
  StateChip,
  sentenceOf,
} from '@certloop/web-kit';
import { Button, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { EnabledChip } from '../../enabled-chip.js';
import { PaceLine } from '../../outlook/pace-line.js';
import { providersResource } from '../../resources.js';
import { api } from '../../service.js';

/** A provider: whether it can be asked, what asks it, and how that went last. */
export function ProviderCard({
  provider,
  heading,
  isAdmin,
  configure,
}: {
  readonly provider: Provider;
  readonly heading: ReactNode;
  readonly isAdmin: boolean;
  readonly configure: () => void;
}) {
  const { displayName, description, contactRefused, usage } = provider;
  return (
    <section className="cl-panel" aria-label={displayName}>
      <div className="cl-title">
        <h2 className="cl-anywhere">{heading}</h2>
        {isAdmin ? <EnabledSwitch provider={provider} /> : <EnabledChip enabled={provider.enabled} />}
      </div>
      <p className="cl-dim">{description}</p>
      <Facts provider={provider} isAdmin={isAdmin} />
      {usage?.lastFailure !== undefined && (
        <p className="cl-fault">
          It failed <Moment at={usage.lastFailure.at} />: {readableTimes(usage.lastFailure.message)}
        </p>
      )}
      {contactRefused !== undefined && <ContactRefused refusal={contactRefused} />}
      {isAdmin && <Actions provider={provider} configure={configure} />}
    </section>
  );
}

function Facts({ provider, isAdmin }: { readonly provider: Provider; readonly isAdmin: boolean }) {
  const { name, kind, pace, usage, lastTest } = provider;
  return (
    <dl className="cl-facts">
      <Fact title="Name">{name}</Fact>
      <Fact title="Kind">{kind}</Fact>
      {isAdmin && <Fact title="Address">{addressOf(provider)}</Fact>}
      {pace !== undefined && (
        <Fact title="Pace">
          <PaceLine pace={pace} />
        </Fact>
      )}
      {usage !== undefined && (
        <>
          <Fact title="Asked by">
            <Link to="/fqdns" search={{ providerId: provider.id }}>
              {countOf(usage.fqdns, 'name')}
            </Link>
            , {countOf(usage.pendingRenewals, 'renewal is', 'renewals are')} planned
          </Fact>
          <Fact title="Last certificate">
            {usage.lastIssuedAt === undefined ? 'none yet' : <Moment at={usage.lastIssuedAt} />}
          </Fact>
        </>
      )}
      {isAdmin && (
        <Fact title="Last test">
          {lastTest === undefined ? 'not tested as configured' : <LastTest test={lastTest} />}
        </Fact>
      )}
    </dl>
  );
}

function ContactRefused({ refusal }: { readonly refusal: NonNullable<Provider['contactRefused']> }) {
  return (
    <p className="cl-strip">
      The CA did not take the contact addresses <Moment at={refusal.at} />: {readableTimes(refusal.message)}.
      It is asked again daily, and still issues.
    </p>
  );
}

function LastTest({ test }: { readonly test: NonNullable<Provider['lastTest']> }) {
  const { success, message, durationMs, at } = test;
  return (
    <span className="cl-row" role="status">
      <StateChip
        tone={success ? 'ok' : 'bad'}
        shape={success ? 'check' : 'octagon'}
        word={success ? 'succeeded' : 'failed'}
      />
      <span>
        <Moment at={at} />, after {countText(durationMs)} ms: {readableTimes(message)}
      </span>
    </span>
  );
}

function addressOf({ config }: Provider): string {
  const address = config['baseUrl'] ?? config['directoryUrl'];
  return typeof address === 'string' ? address : 'not configured';
}

/** Enables and disables a provider; where renewals wait for it, it first says what that postpones. */
function EnabledSwitch({ provider }: { readonly provider: Provider }) {
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      api.setProviderEnabled({ params: { id: provider.id }, body: { enabled } }),
    meta: { changes: [providersResource] },
  });
  const planned = provider.usage?.pendingRenewals ?? 0;
  // answers at once, and goes back when it is refused
  const isOn = change.isPending ? change.variables : provider.enabled;
  return (
    <>
      <Switch
        label={isOn ? 'enabled' : 'disabled'}
        aria-label={`${isOn ? 'enabled' : 'disabled'}: ${provider.displayName}`}
        checked={isOn}
        error={change.isError ? sentenceOf(change.error) : undefined}
        onChange={({ currentTarget: { checked } }) => {
          if (!checked && planned > 0) setAsking(true);
          else change.mutate(checked);
        }}
      />
      {isAsking && (
        <ConfirmDialog
          title={`Disable ${provider.displayName}?`}
          label="Disable the provider"
          color="indigo"
          act={async () => change.mutate(false)}
          close={() => setAsking(false)}
        >
          <p>
            {countOf(planned, 'planned renewal waits', 'planned renewals wait')} until it is enabled again.
            Certificates expire meanwhile if that takes long.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Tests a provider with its stored configuration, and opens the form of that. */
function Actions({ provider, configure }: { readonly provider: Provider; readonly configure: () => void }) {
  const test = useMutation({
    mutationFn: async () => (await api.testProvider({ params: { id: provider.id }, body: {} })).body,
    meta: { changes: [providersResource] },
  });
  const { displayName } = provider;
  return (
    <>
      <div className="cl-row">
        <Button
          size="xs"
          variant="default"
          loading={test.isPending}
          aria-label={`Test ${displayName}`}
          onClick={() => test.mutate()}
        >
          Test
        </Button>
        <Button size="xs" variant="default" aria-label={`Configure ${displayName}`} onClick={configure}>
          Configure
        </Button>
      </div>
      <Fault>{test.isError ? sentenceOf(test.error) : undefined}</Fault>
    </>
  );
}
