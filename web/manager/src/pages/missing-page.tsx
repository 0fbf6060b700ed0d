import { Front, useTitle } from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';

export function MissingPage() {
  useTitle('No such page', 'manager');
  return (
    <Front console="manager">
      <h1>There is no page at this address</h1>
      <p>
        The address may be cut off. <Link to="/">Go to the start page</Link>.
      </p>
    </Front>
  );
}
