import { Textarea } from '@mantine/core';

/** Lists of names as text, one entry a line. */
export interface NameTexts {
  readonly names: string;
  readonly suffixes: string;
  readonly cidrs: string;
}

const lists = [
  {
    field: 'suffixes',
    label: 'Domains',
    description: 'Each allows itself and every name below it. One a line.',
    placeholder: 'shop.example.com',
  },
  {
    field: 'names',
    label: 'Single names',
    description: 'Exactly these, also wildcards such as *.example.com. One a line.',
    placeholder: 'www.example.org',
  },
  {
    field: 'cidrs',
    label: 'Ranges of IP addresses',
    description: 'Without a range, no address is allowed. One a line.',
    placeholder: '10.0.0.0/8',
  },
] as const;

/** Fields of the lists that say for which names certificates may be issued. */
export function NameLists({
  texts,
  set,
  faultOf,
}: {
  readonly texts: NameTexts;
  readonly set: (part: Partial<NameTexts>) => void;
  /** Returns what the service says of a list, by its name. */
  readonly faultOf: (list: keyof NameTexts) => string | undefined;
}) {
  return lists.map(({ field, ...words }) => (
    <Textarea
      key={field}
      {...words}
      value={texts[field]}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
      error={faultOf(field)}
      minRows={2}
      maxRows={10}
      autosize
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      classNames={{ input: 'cl-mono' }}
    />
  ));
}
