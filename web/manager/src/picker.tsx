import { countOf, Fault, type ListPage, sentenceOf, useSettled } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

/** Something that can be chosen. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

/** Query of the first that a search finds. */
interface FindQuery<Row> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<ListPage<Row>>;
}

interface ChosenProps {
  readonly label: string;
  /** One of them, such as `user`. */
  readonly noun: string;
  readonly chosen: readonly string[];
  /** Label of a chosen one; undefined while it is not known. */
  readonly labelOf: (id: string) => string | undefined;
  readonly change: (ids: readonly string[], toggled: undefined) => void;
}

export interface PickerProps<Row, C extends Choice> extends Omit<ChosenProps, 'change'> {
  readonly change: (ids: readonly string[], toggled: C | undefined) => void;
  /** Finds what has the part `q` in its name; some of all without one. */
  readonly find: (q: string) => FindQuery<Row>;
  readonly choiceOf: (row: Row) => C;
  readonly error?: string | undefined;
}

const maxChips = 50;

/** Chooses some of many: the chosen ones can be removed, others are searched and added. */
export function Picker<Row, C extends Choice>(props: PickerProps<Row, C>) {
  const { label, noun, chosen, change, find, choiceOf, error } = props;
  const [q, search] = useState('');
  const settled = useSettled(q.trim());
  const query = useQuery({ ...find(settled), placeholderData: keepPreviousData });
  const picked = new Set(chosen);
  const toggle = (choice: C) =>
    change(picked.has(choice.id) ? chosen.filter((id) => id !== choice.id) : [...chosen, choice.id], choice);
  return (
    <fieldset className="cl-fieldset">
      <legend>{label}</legend>
      <Chosen {...props} />
      <TextInput
        type="search"
        aria-label={`Search: ${label}`}
        placeholder="Part of a name"
        value={q}
        onChange={(event) => search(event.currentTarget.value)}
        // Enter must not send the form
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
        error={error}
        maxLength={100}
        autoComplete="off"
      />
      <Fault>{query.isError ? sentenceOf(query.error) : undefined}</Fault>
      {query.data !== undefined && (
        <Found
          noun={noun}
          rows={query.data.rows.map(choiceOf)}
          total={query.data.total}
          picked={picked}
          toggle={toggle}
        />
      )}
    </fieldset>
  );
}

function Chosen({ label, noun, chosen, labelOf, change }: ChosenProps) {
  return (
    <>
      {chosen.length > 0 && (
        <ul className="cl-picked" aria-label={`${label}: chosen`}>
          {chosen.slice(0, maxChips).map((id) => (
            <li key={id}>
              <span>{labelOf(id) ?? '…'}</span>
              <button
                type="button"
                aria-label={`Remove ${labelOf(id) ?? id}`}
                onClick={() =>
                  change(
                    chosen.filter((one) => one !== id),
                    undefined,
                  )
                }
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length > maxChips && (
        <p className="cl-dim">
          And {countOf(chosen.length - maxChips, noun)} more. Search for one to remove it.
        </p>
      )}
    </>
  );
}

function Found<C extends Choice>({
  noun,
  rows,
  total = rows.length,
  picked,
  toggle,
}: {
  readonly noun: string;
  readonly rows: readonly C[];
  /** How many the search finds; undefined where the service does not count. */
  readonly total: number | undefined;
  readonly picked: ReadonlySet<string>;
  readonly toggle: (choice: C) => void;
}) {
  return (
    <div className="cl-choices">
      {rows.map((choice) => (
        <label key={choice.id} className="cl-check">
          <input type="checkbox" checked={picked.has(choice.id)} onChange={() => toggle(choice)} />
          <span>
            {choice.label}
            {choice.detail !== undefined && <small className="cl-dim"> {choice.detail}</small>}
          </span>
        </label>
      ))}
      {rows.length === 0 && <p className="cl-dim">No {noun} matches.</p>}
      {total > rows.length && (
        <p className="cl-dim">
          {countOf(rows.length, noun)} of {total}. Search for the others.
        </p>
      )}
    </div>
  );
}
