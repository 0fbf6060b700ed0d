import { countOf, Fault, sentenceOf, useSettled } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

/** Something that can be chosen. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

/** Some of the choices that a search finds, and how many it finds. */
interface Choices<C extends Choice> {
  readonly rows: readonly C[];
  readonly total: number;
}

export interface PickerProps<C extends Choice> {
  readonly label: string;
  /** One of them, such as `user`. */
  readonly noun: string;
  readonly chosen: readonly string[];
  /** Label of a chosen one; undefined while it is not known. */
  readonly labelOf: (id: string) => string | undefined;
  readonly change: (ids: readonly string[], toggled: C | undefined) => void;
  /** Begins the keys of the queries. */
  readonly queryKey: readonly string[];
  /** Finds what has the part `q` in its name; some of all without one. */
  readonly find: (q: string, signal: AbortSignal) => Promise<Choices<C>>;
  readonly error?: string | undefined;
}

const maxChips = 50;

/** Chooses some of many: the chosen ones can be removed, others are searched and added. */
export function Picker<C extends Choice>(props: PickerProps<C>) {
  const { label, noun, chosen, change, queryKey, find, error } = props;
  const [q, search] = useState('');
  const settled = useSettled(q.trim());
  const query = useQuery({
    queryKey: [...queryKey, 'find', settled],
    queryFn: ({ signal }) => find(settled, signal),
    placeholderData: keepPreviousData,
  });
  const picked = new Set(chosen);
  const toggle = (choice: C) =>
    change(picked.has(choice.id) ? chosen.filter((id) => id !== choice.id) : [...chosen, choice.id], choice);
  const found = query.data;
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
      {found !== undefined && <Found noun={noun} found={found} picked={picked} toggle={toggle} />}
    </fieldset>
  );
}

function Chosen<C extends Choice>({ label, noun, chosen, labelOf, change }: PickerProps<C>) {
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
  found,
  picked,
  toggle,
}: {
  readonly noun: string;
  readonly found: Choices<C>;
  readonly picked: ReadonlySet<string>;
  readonly toggle: (choice: C) => void;
}) {
  return (
    <div className="cl-choices">
      {found.rows.map((choice) => (
        <label key={choice.id} className="cl-check">
          <input type="checkbox" checked={picked.has(choice.id)} onChange={() => toggle(choice)} />
          <span>
            {choice.label}
            {choice.detail !== undefined && <small className="cl-dim"> {choice.detail}</small>}
          </span>
        </label>
      ))}
      {found.rows.length === 0 && <p className="cl-dim">No {noun} matches.</p>}
      {found.total > found.rows.length && (
        <p className="cl-dim">
          {countOf(found.rows.length, noun)} of {found.total}. Search for the others.
        </p>
      )}
    </div>
  );
}
