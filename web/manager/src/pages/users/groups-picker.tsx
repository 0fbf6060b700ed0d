import { useQuery } from '@tanstack/react-query';
import { groupsQuery } from '../../people/people.js';
import { Picker } from '../../picker.js';

const maxShown = 20;

/** Chooses the groups of a user. */
export function GroupsPicker({
  chosen,
  change,
  error,
}: {
  readonly chosen: readonly string[];
  readonly change: (ids: readonly string[]) => void;
  readonly error: string | undefined;
}) {
  const groups = useQuery(groupsQuery).data;
  if (groups === undefined) return null;
  if (groups.length === 0) return <p className="cl-dim">There is no group yet.</p>;
  return (
    <Picker
      label="Groups"
      noun="group"
      chosen={chosen}
      labelOf={(id) => groups.find((group) => group.id === id)?.name}
      change={(ids) => change(ids)}
      find={(q) => ({
        queryKey: ['groups by name', q, groups],
        queryFn: async () => {
          const text = q.toLowerCase();
          const found = groups.filter(({ name }) => name.toLowerCase().includes(text));
          return { rows: found.slice(0, maxShown), total: found.length, next: undefined };
        },
      })}
      choiceOf={({ id, name, permission }) => ({ id, label: name, detail: permission })}
      error={error}
    />
  );
}
