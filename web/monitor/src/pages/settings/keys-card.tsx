import { type AccountProject, keyKinds } from '@certloop/contracts/browser';
import {
  CodeBlock,
  type Column,
  ConfirmDialog,
  DataTable,
  Fault,
  resourceOf,
  StateChip,
  sentenceOf,
  serviceUrl,
} from '@certloop/web-kit';
import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../service.js';

type KeyKind = (typeof keyKinds)[number];

interface Described {
  readonly title: string;
  readonly use: string;
  readonly command: string;
}

const kinds: Readonly<Record<KeyKind, Described>> = {
  'read-write': {
    title: 'Read-write key',
    use: 'For programs that create, change and delete checks.',
    command: `curl -H "X-Api-Key: $KEY" ${serviceUrl()}/api/v3/checks/`,
  },
  'read-only': {
    title: 'Read-only key',
    use: 'For dashboards and metrics. It reveals no address that could be pinged.',
    command: `curl -H "X-Api-Key: $KEY" ${serviceUrl()}/api/v3/checks/`,
  },
  ping: {
    title: 'Ping key',
    use: 'For jobs that ping checks by the slug of the check instead of its uuid.',
    command: `curl -fsS ${serviceUrl()}/ping/$KEY/SLUG`,
  },
};

interface Asked {
  readonly kind: KeyKind;
  readonly action: 'create' | 'revoke';
}

/** The keys of a project, one of each kind. A key is shown only when it is created. */
export function KeysCard({
  project,
  canChange,
}: {
  readonly project: AccountProject;
  readonly canChange: boolean;
}) {
  const [asked, ask] = useState<Asked>();
  // a later key of the kind is not asked about
  if (asked?.action === 'revoke' && !project.keys.includes(asked.kind)) ask(undefined);
  return (
    <section className="cl-stack" aria-label="Keys">
      <h2>Keys</h2>
      <DataTable
        label="Keys"
        columns={columnsOf(project, canChange, ask)}
        rows={keyKinds.map((kind) => ({ kind }))}
        rowKey={({ kind }) => kind}
      />
      {asked?.action === 'create' && (
        <CreateKey project={project} kind={asked.kind} close={() => ask(undefined)} />
      )}
      {asked?.action === 'revoke' && project.keys.includes(asked.kind) && (
        <RevokeKey project={project} kind={asked.kind} close={() => ask(undefined)} />
      )}
    </section>
  );
}

function columnsOf(
  project: AccountProject,
  canChange: boolean,
  ask: (asked: Asked) => void,
): readonly Column<{ readonly kind: KeyKind }>[] {
  return [
    {
      key: 'kind',
      title: 'Key',
      cell: ({ kind }) => (
        <div className="cl-name">
          {kinds[kind].title}
          <span className="cl-dim">{kinds[kind].use}</span>
        </div>
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: '7rem',
      cell: ({ kind }) =>
        project.keys.includes(kind) ? (
          <StateChip tone="ok" shape="check" word="in use" />
        ) : (
          <StateChip tone="idle" shape="circle" word="none" />
        ),
    },
    {
      key: 'act',
      title: '',
      width: '13rem',
      cell: ({ kind }) =>
        canChange && <KeyActions kind={kind} isInUse={project.keys.includes(kind)} ask={ask} />,
    },
  ];
}

function KeyActions({
  kind,
  isInUse,
  ask,
}: {
  readonly kind: KeyKind;
  readonly isInUse: boolean;
  readonly ask: (asked: Asked) => void;
}) {
  const verb = isInUse ? 'Replace' : 'Create';
  return (
    <div className="cl-row">
      <Button
        size="xs"
        variant="default"
        aria-label={`${verb} the ${kind} key`}
        onClick={() => ask({ kind, action: 'create' })}
      >
        {verb}
      </Button>
      {isInUse && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={`Revoke the ${kind} key`}
          onClick={() => ask({ kind, action: 'revoke' })}
        >
          Revoke
        </Button>
      )}
    </div>
  );
}

interface Opened {
  readonly project: AccountProject;
  readonly kind: KeyKind;
  readonly close: () => void;
}

function CreateKey({ project, kind, close }: Opened) {
  const create = useMutation({
    mutationFn: async (_hadOne: boolean) =>
      (await api.createKey({ params: { projectId: project.id, kind } })).body.key,
    meta: { changes: [resourceOf(api.createKey, { params: { projectId: project.id, kind } })] },
  });
  // another tab may create or revoke it while the question is open
  const hadOne = create.isPending ? create.variables : project.keys.includes(kind);
  const key = create.data;
  const title = key === undefined ? `${hadOne ? 'Replace' : 'Create'} the ${kind} key?` : 'Copy the key now';
  return (
    <Modal opened onClose={close} title={title}>
      {key === undefined ? (
        <div className="cl-form">
          <p>
            {hadOne
              ? 'The new key is shown once. What uses the key of today is refused from then on.'
              : 'The key is shown once.'}
          </p>
          <Fault>{create.isError ? sentenceOf(create.error) : undefined}</Fault>
          <div className="cl-row">
            <Button
              color={hadOne ? 'red' : 'indigo'}
              loading={create.isPending}
              onClick={() => create.mutate(hadOne)}
            >
              {hadOne ? 'Replace the key' : 'Create the key'}
            </Button>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </div>
        </div>
      ) : (
        <div className="cl-stack">
          <p>It is shown this once. {kinds[kind].use}</p>
          <CodeBlock text={key} />
          <p>A call with it:</p>
          <CodeBlock text={kinds[kind].command} />
        </div>
      )}
    </Modal>
  );
}

function RevokeKey({ project, kind, close }: Opened) {
  return (
    <ConfirmDialog
      title={`Revoke the ${kind} key?`}
      label="Revoke the key"
      act={() => api.revokeKey({ params: { projectId: project.id, kind } })}
      changes={[resourceOf(api.revokeKey, { params: { projectId: project.id, kind } })]}
      close={close}
    >
      <p>
        {kind === 'ping'
          ? 'Pings by slug get 404 from now on, and their checks go down. This cannot be undone.'
          : 'What uses this key is refused from now on. This cannot be undone.'}
      </p>
    </ConfirmDialog>
  );
}
