import { Link } from '@tanstack/react-router';
import { useTitle } from '../../parts/page-parts.js';
import { Front } from '../shell.js';

/** Page of an address that no page of the console has. */
export function MissingPage({ console }: { readonly console: string }) {
  useTitle('No such page', console);
  return (
    <Front console={console}>
      <h1>There is no page at this address</h1>
      <p>
        The address may be cut off. <Link to="/">Go to the start page</Link>.
      </p>
    </Front>
  );
}
