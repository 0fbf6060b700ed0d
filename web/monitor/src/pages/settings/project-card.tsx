import type { AccountProject } from '@certloop/contracts/browser';
import { ConfirmDialog, CopyCurl, Fact, Fault, faultsOf } from '@certloop/web-kit';
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { projectResource } from '../../resources.js';
import { api } from '../../service.js';

/** The name of a project, and its deletion; both are up to its owner. */
export function ProjectCard({ project }: { readonly project: AccountProject }) {
  const [isDeleting, setDeleting] = useState(false);
  const isOwner = project.role === 'owner';
  const send = (to: typeof api, form: HTMLFormElement) => {
    const name = String(new FormData(form).get('name'));
    return to.renameProject({ params: { projectId: project.id }, body: { name } });
  };
  const rename = useMutation({
    mutationFn: (form: HTMLFormElement) => send(api, form),
    meta: { changes: [projectResource(project.id)] },
  });
  const { byField, general } = faultsOf(rename.error, ['name']);
  return (
    <section className="cl-panel" aria-label="Project">
      <h2>Project</h2>
      {isOwner ? (
        <form
          className="cl-form"
          onSubmit={(event) => {
            event.preventDefault();
            rename.mutate(event.currentTarget);
          }}
        >
          <TextInput
            name="name"
            label="Name"
            defaultValue={project.name}
            error={byField['name']}
            maxLength={200}
            required
          />
          <Fault>{general}</Fault>
          <div className="cl-row">
            <Button type="submit" variant="default" loading={rename.isPending}>
              Rename
            </Button>
            <CopyCurl api={api} of={send} />
            <Button variant="subtle" color="red" onClick={() => setDeleting(true)}>
              Delete the project
            </Button>
            <span role="status">{rename.isSuccess && 'Renamed.'}</span>
          </div>
        </form>
      ) : (
        <p className="cl-dim">Its owner can rename and delete it.</p>
      )}
      <dl className="cl-facts">
        <Fact title="Your role">{project.role}</Fact>
        <Fact title="Project id" isMono>
          {project.id}
        </Fact>
      </dl>
      {isDeleting && <DeleteProject project={project} close={() => setDeleting(false)} />}
    </section>
  );
}

function DeleteProject({ project, close }: { readonly project: AccountProject; readonly close: () => void }) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete the project?"
      label="Delete the project"
      typeFirst={project.name}
      act={() => api.deleteProject({ params: { projectId: project.id } })}
      done={() => navigate({ to: '/projects' })}
      deletes={projectResource(project.id)}
      changes={[projectResource(project.id)]}
      close={close}
    >
      <p>
        All its checks, their history, its integrations and its keys are deleted with it. This cannot be
        undone. Jobs that ping its checks get 404 from then on.
      </p>
    </ConfirmDialog>
  );
}
