import { Textarea, TextInput } from '@mantine/core';

/** Members of a space that its fields name. */
export const spaceFields = ['name', 'description'] as const;

/** Returns what a person says of a space, as its form was sent. */
export function spaceOf(form: HTMLFormElement): { readonly name: string; readonly description: string } {
  const data = new FormData(form);
  return { name: String(data.get('name')), description: String(data.get('description')) };
}

interface SpaceFieldsProps {
  /** Sentences about what the service refused, by member. */
  readonly faults: Readonly<Record<string, string | undefined>>;
  /** The space as it is; absent for a new one. */
  readonly space?: { readonly name: string; readonly description: string };
  /** Hint about the name for a new user. */
  readonly nameHint?: string;
}

/** Fields of a space that is created or edited. */
export function SpaceFields({ faults, space, nameHint }: SpaceFieldsProps) {
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        description={nameHint}
        defaultValue={space?.name}
        error={faults['name']}
        maxLength={100}
        required
        data-autofocus
      />
      <Textarea
        name="description"
        label="Description"
        defaultValue={space?.description}
        error={faults['description']}
        maxLength={1_000}
        minRows={2}
        autosize
      />
    </>
  );
}
