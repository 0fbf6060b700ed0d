import { Button } from '@mantine/core';
import { Icon } from './icons.js';

/** The button of a page that creates what it lists, also by the key `c`. */
export function AddButton({
  label,
  isSmall = false,
  onClick,
}: {
  readonly label: string;
  readonly isSmall?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button
      {...(isSmall && { size: 'xs' })}
      aria-keyshortcuts="c"
      leftSection={<Icon name="plus" {...(isSmall && { size: 16 })} />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
