import type { AccountChannel, ChannelKindDescription } from '@certloop/contracts/browser';
import { Loaded, SendForm, useForm, WaitingLines } from '@certloop/web-kit';
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { kindsQuery } from '../../lookups.js';
import { projectResource } from '../../resources.js';
import { api } from '../../service.js';
import { nameOf } from './integration-columns.js';
import { emptyDraft, IntegrationFields, integrationForm } from './integration-form.js';

interface Opened {
  readonly projectId: string;
  readonly channel: AccountChannel;
  readonly others: readonly AccountChannel[];
  readonly close: () => void;
}

/** Dialog that edits an integration. Saving switches it on again. */
export function EditIntegration(opened: Opened) {
  const kinds = useQuery(kindsQuery);
  const { channel, close } = opened;
  return (
    <Modal opened onClose={close} title={`Edit ${nameOf(channel)}`} size="lg">
      <Loaded query={kinds} waiting={<WaitingLines count={4} />}>
        {(all) => {
          const kind = all.find((one) => one.kind === channel.kind);
          return kind === undefined ? (
            <p>This version of the service does not know integrations of this kind. You can delete it.</p>
          ) : (
            <EditForm kind={kind} {...opened} />
          );
        }}
      </Loaded>
    </Modal>
  );
}

function EditForm({
  kind,
  projectId,
  channel,
  others,
  close,
}: Opened & { readonly kind: ChannelKindDescription }) {
  const [draft, change] = useState({ ...emptyDraft, name: channel.name });
  const settings = integrationForm(kind, draft, change, channel);
  const { byField, form } = useForm({
    api,
    secrets: settings.secrets,
    send: (to) => to.editChannel({ params: { projectId, channelId: channel.id }, body: settings.body() }),
    fields: settings.paths,
    changes: [projectResource(projectId)],
    onSuccess: close,
  });
  return (
    <SendForm {...form} label={channel.disabled ? 'Save and switch on' : 'Save'}>
      {channel.disabled && (
        <p className="cl-strip">
          It was switched off, as its target refused the alerts for good:{' '}
          {channel.last_error || 'no reason known'}. Saving switches it on again.
        </p>
      )}
      <IntegrationFields
        form={settings}
        others={others.filter(({ id }) => id !== channel.id)}
        faults={byField}
        hasSecret
      />
    </SendForm>
  );
}
