import type { ComponentProps } from 'react';

/** A small button in a row of a long list: Mantine's takes several times as long to draw. */
export function RowButton({
  isBusy = false,
  onClick,
  ...props
}: Omit<ComponentProps<'button'>, 'type' | 'className'> & {
  /** While it works it does nothing else, and keeps the focus. */
  readonly isBusy?: boolean;
}) {
  return (
    <button
      {...props}
      type="button"
      className="cl-row-button"
      aria-busy={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
    />
  );
}
