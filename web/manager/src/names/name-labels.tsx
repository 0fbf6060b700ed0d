import type { Fqdn } from '@certloop/contracts/browser';
import { Link } from '@tanstack/react-router';

/** Owner and tags of a name, each with a link to all names that have it; nothing without any. */
export function NameLabels({ fqdn: { owner, tags = [] } }: { readonly fqdn: Fqdn }) {
  if (owner === undefined && tags.length === 0) return null;
  return (
    <p className="cl-row">
      {owner !== undefined && (
        <span>
          Owner:{' '}
          <Link to="/fqdns" search={{ q: `@${owner.toLowerCase()}` }}>
            <bdi>{owner}</bdi>
          </Link>
        </span>
      )}
      {tags.map((tag) => (
        <Link key={tag} to="/fqdns" search={{ q: `#${tag}` }}>
          #{tag}
        </Link>
      ))}
    </p>
  );
}
