import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** A search whose text is part of the address of a page; what else restricts the list stands beside it. */
export function SearchForm({
  label,
  placeholder = 'Part of a name',
  maxLength,
  q,
  search,
  children,
}: {
  /** Such as `Search names`. */
  readonly label: string;
  readonly placeholder?: string;
  readonly maxLength: number;
  /** Text of the address. */
  readonly q: string | undefined;
  /** Called with the new text, which is undefined if there is none. */
  readonly search: (q: string | undefined) => void;
  readonly children?: ReactNode;
}) {
  return (
    <form
      className="cl-row"
      data-search=""
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('q')).trim();
        search(text === '' ? undefined : text);
      }}
    >
      <TextInput
        // another address writes its text into the field
        key={q}
        name="q"
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        defaultValue={q ?? ''}
        maxLength={maxLength}
        w={320}
        maw="100%"
      />
      <Button type="submit" variant="default">
        Search
      </Button>
      {children}
    </form>
  );
}
