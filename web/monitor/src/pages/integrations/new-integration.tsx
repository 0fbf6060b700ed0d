import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { CopyCurl, countText, Fault, faultsOf, Loaded, WaitingLines } from '@certloop/web-kit';
import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { kindsQuery } from '../../lookups.js';
import { projectResource } from '../../resources.js';
import { api } from '../../service.js';
import { emptyDraft, type IntegrationDraft, IntegrationFields, integrationForm } from './integration-form.js';

interface Opened {
  readonly projectId: string;
  readonly others: readonly AccountChannel[];
  readonly close: () => void;
}

/** Dialog that adds an integration, with a test before it is saved. */
export function NewIntegration({ isOpen, ...opened }: Opened & { readonly isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={opened.close} title="Add an integration" size="lg">
      {isOpen && <ChooseKind {...opened} />}
    </Modal>
  );
}

function ChooseKind(opened: Opened) {
  const [chosen, choose] = useState<string>();
  // what is typed stays when another kind is chosen
  const [draft, change] = useState(emptyDraft);
  const kinds = useQuery(kindsQuery);
  return (
    <Loaded query={kinds} waiting={<WaitingLines count={4} />}>
      {(all) => {
        const kind = all.find((one) => one.kind === chosen);
        if (kind === undefined) return <KindList kinds={all} choose={choose} />;
        return (
          <div className="cl-form">
            <div className="cl-row">
              <strong>{kind.label}</strong>
              <Button size="xs" variant="default" onClick={() => choose(undefined)}>
                Another kind
              </Button>
            </div>
            <KindForm key={kind.kind} kind={kind} draft={draft} change={change} {...opened} />
          </div>
        );
      }}
    </Loaded>
  );
}

/** The kinds whose name has the typed text, each as a button. */
function KindList({
  kinds,
  choose,
}: {
  readonly kinds: readonly ChannelKindDescription[];
  readonly choose: (kind: string) => void;
}) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = kinds.filter(({ kind, label }) => `${label} ${kind}`.toLowerCase().includes(wanted));
  const missing = found.filter((one) => one.missing !== undefined);
  return (
    <div className="cl-form">
      <TextInput
        label="Search kinds"
        type="search"
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        maxLength={50}
        autoComplete="off"
        data-autofocus
      />
      <div className="cl-row">
        {found.map(({ kind, label, missing: reason }) => (
          <Button key={kind} variant="default" disabled={reason !== undefined} onClick={() => choose(kind)}>
            {label}
          </Button>
        ))}
      </div>
      {found.length === 0 && (
        <p className="cl-dim" role="status">
          No kind has this name. A webhook can call any other service.
        </p>
      )}
      {missing.length > 0 && (
        <p className="cl-dim">
          The operator of the service has not set up {missing.map(({ label }) => label).join(', ')}.
        </p>
      )}
    </div>
  );
}

interface KindFormProps extends Opened {
  readonly kind: ChannelKindDescription;
  readonly draft: IntegrationDraft;
  readonly change: (draft: IntegrationDraft) => void;
}

function KindForm({ kind, draft, change, projectId, others, close }: KindFormProps) {
  const form = integrationForm(kind, draft, change);
  const body = () => ({ kind: kind.kind, ...form.body() });
  const params = { projectId };
  const send = (to: typeof api) => to.createChannel({ params, body: body() });
  const test = useMutation({
    mutationFn: () => api.tryChannel({ params, body: body() }),
    meta: { isTrial: true },
  });
  const save = useMutation({
    mutationFn: () => send(api),
    meta: { changes: [projectResource(projectId)] },
    onSuccess: close,
  });
  const { byField, general } = faultsOf(save.error ?? test.error, form.paths);
  const outcome = test.data?.body;
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {kind.missing !== undefined && (
        <p className="cl-strip">The operator of the service has not set this kind up: {kind.missing}</p>
      )}
      <IntegrationFields form={form} others={others} faults={byField} />
      <Fault>{general}</Fault>
      {outcome !== undefined && !test.isPending && (
        <p className={outcome.ok ? 'cl-result' : 'cl-fault'} role="status">
          {outcome.ok
            ? `The test message was sent in ${countText(outcome.durationMs)} ms.`
            : `Not sent: ${outcome.error}`}
        </p>
      )}
      <div className="cl-row">
        <Button type="submit" loading={save.isPending}>
          Save and assign to all checks
        </Button>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Button>
        <CopyCurl api={api} of={send} secrets={form.secrets} />
      </div>
    </form>
  );
}
