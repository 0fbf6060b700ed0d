import { Picker } from '../picker.js';
import { spacesByName, useSpaceNames } from './space-names.js';

const maxShown = 20;

/** Chooses some of the spaces that the user sees; nothing until some of their names are loaded. */
export function SpacePicker({
  label,
  chosen,
  change,
  error,
}: {
  readonly label: string;
  readonly chosen: readonly string[];
  readonly change: (spaceIds: readonly string[]) => void;
  readonly error?: string | undefined;
}) {
  const { spaces, nameOf } = useSpaceNames(chosen);
  if (spaces === undefined) return null;
  return (
    <Picker
      label={label}
      noun="space"
      chosen={chosen}
      labelOf={nameOf}
      change={(spaceIds) => change(spaceIds)}
      find={(q) => spacesByName(q, maxShown)}
      choiceOf={({ id, name }) => ({ id, label: name })}
      error={error}
    />
  );
}
