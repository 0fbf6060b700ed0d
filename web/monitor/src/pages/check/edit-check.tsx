import type { Check } from '@certloop/contracts/browser';
import { SendForm, useForm } from '@certloop/web-kit';
import { Switch, Textarea, TextInput } from '@mantine/core';
import { projectResource } from '../../resources.js';
import { projectApi } from '../../service.js';
import type { CheckDialogProps } from './check-dialogs.js';

const keywords = [
  ['start_kw', 'Keywords of a start', 'With commas between them.'],
  ['success_kw', 'Keywords of a success', undefined],
  ['failure_kw', 'Keywords of a failure', undefined],
] as const;
const texts = ['name', 'slug', 'tags', 'desc', ...keywords.map(([name]) => name)] as const;
const flags = [
  ['manual_resume', 'Stay paused until someone resumes the check'],
  ['filter_subject', 'Look for the keywords in the subject of mails'],
  ['filter_body', 'Look for the keywords in the body of mails'],
  ['filter_http_body', 'Look for the keywords in the body of HTTP pings'],
  ['filter_default_fail', 'Treat what matches no keyword as a failure'],
] as const;

/** Changes everything of a check but its schedule. */
export function EditDialog({ projectId, check, close }: CheckDialogProps) {
  const { byField, form } = useForm({
    api: projectApi(projectId),
    send: (to, typed) => to.updateCheck({ params: { id: check.uuid }, body: changeIn(new FormData(typed)) }),
    fields: texts,
    changes: [projectResource(projectId)],
    onSuccess: close,
  });
  return (
    <SendForm {...form} label="Save">
      <Names check={check} faults={byField} />
      <PingFilters check={check} faults={byField} />
    </SendForm>
  );
}

/** Returns what the form says of the check. */
function changeIn(data: FormData): Partial<Check> {
  return {
    ...Object.fromEntries(texts.map((name) => [name, String(data.get(name)).trim()])),
    ...Object.fromEntries(flags.map(([name]) => [name, data.has(name)])),
    methods: data.has('methods') ? 'POST' : '',
  };
}

interface FieldsProps {
  readonly check: Check;
  readonly faults: Readonly<Record<string, string>>;
}

/** Fields for what people and addresses call the check, and for its description. */
function Names({ check, faults }: FieldsProps) {
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        defaultValue={check.name}
        error={faults['name']}
        maxLength={100}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        name="tags"
        label="Tags"
        description="Words between blanks, to group checks and their badges."
        defaultValue={check.tags}
        error={faults['tags']}
        maxLength={500}
        autoComplete="off"
      />
      <TextInput
        name="slug"
        label="Slug"
        description="Names the check in ping addresses with the ping key: lower-case letters, digits, - and _."
        defaultValue={check.slug}
        error={faults['slug']}
        maxLength={100}
        autoComplete="off"
      />
      <Textarea
        name="desc"
        label="Description"
        description="For the people who get its alerts, such as what to do."
        defaultValue={check.desc}
        error={faults['desc']}
        rows={3}
      />
    </>
  );
}

/** Which pings count, and what their keywords mean. */
function PingFilters({ check, faults }: FieldsProps) {
  return (
    <details open={keywords.some(([name]) => faults[name] !== undefined) || undefined}>
      <summary>Which pings count</summary>
      <div className="cl-form">
        <Switch
          name="methods"
          label="Only POST counts, so that a preview of a link is not a ping"
          defaultChecked={check.methods === 'POST'}
        />
        {keywords.map(([name, label, description]) => (
          <TextInput
            key={name}
            name={name}
            label={label}
            description={description}
            defaultValue={check[name]}
            error={faults[name]}
            maxLength={200}
          />
        ))}
        {flags.map(([name, label]) => (
          <Switch key={name} name={name} label={label} defaultChecked={check[name]} />
        ))}
      </div>
    </details>
  );
}
