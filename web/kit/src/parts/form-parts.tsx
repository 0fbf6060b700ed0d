import { PasswordInput } from '@mantine/core';
import { wholeSentence } from '../times.js';

/** A password with a button that shows it. */
export function PasswordField({
  name,
  label,
  autoComplete,
  autoFocus = false,
  description,
  error,
  minLength,
}: {
  readonly name: string;
  readonly label: string;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly autoFocus?: boolean;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly minLength?: number;
}) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={description}
      error={error}
      aria-invalid={error !== undefined}
      autoComplete={autoComplete}
      autoFocus={autoFocus}
      // a dialog chooses what has the focus first
      data-autofocus={autoFocus || undefined}
      required
      maxLength={1_000}
      minLength={minLength}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
    />
  );
}

/** Shows what is wrong with a form as a whole; screen readers announce it when it comes. */
export function Fault({ children }: { readonly children: string | undefined }) {
  return (
    <div role="alert">{children !== undefined && <p className="cl-fault">{wholeSentence(children)}</p>}</div>
  );
}
