import { useMantineColorScheme } from '@mantine/core';
import { useId } from 'react';

const schemes = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Choice of light or dark pages, stored in the browser. */
export function ColorChoice() {
  const name = useId();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <fieldset className="cl-fieldset">
      <legend>Colors</legend>
      {schemes.map(([scheme, label]) => (
        <label key={scheme} className="cl-check">
          <input
            type="radio"
            name={name}
            checked={colorScheme === scheme}
            onChange={() => setColorScheme(scheme)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
