import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { CopyCurl, countText, Loaded } from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { kindsQuery } from '../../lookups.js';
import { api } from '../../service.js';
import { IntegrationFields, useIntegrationForm } from './integration-form.js';

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
  const [chosen, choose] = useState('email');
  const kinds = useQuery(kindsQuery);
  return (
    <Loaded query={kinds}>
      {(all) => {
        const kind = all.find((one) => one.kind === chosen) ?? all[0];
        if (kind === undefined) return null;
        return (
          <div className="cl-form">
            <label className="cl-stack">
              Kind
              <select
                className="cl-select"
                value={kind.kind}
                onChange={({ currentTarget: { value } }) => choose(value)}
              >
                {all.map((one) => (
                  <option key={one.kind} value={one.kind} disabled={one.missing !== undefined}>
                    {one.label}
                    {one.missing === undefined ? '' : ' (not set up by the operator)'}
                  </option>
                ))}
              </select>
            </label>
            <KindForm key={kind.kind} kind={kind} {...opened} />
          </div>
        );
      }}
    </Loaded>
  );
}

function KindForm({ kind, projectId, others, close }: Opened & { readonly kind: ChannelKindDescription }) {
  const queries = useQueryClient();
  const form = useIntegrationForm(kind);
  const body = () => ({ kind: kind.kind, ...form.body() });
  const params = { projectId };
  const send = (to: typeof api) => to.createChannel({ params, body: body() });
  const test = useMutation({ mutationFn: () => api.tryChannel({ params, body: body() }) });
  const save = useMutation({
    mutationFn: () => send(api),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
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
      <IntegrationFields form={form} others={others} error={save.error ?? test.error} />
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
