import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

type RowPlace =
  | { readonly to: '/spaces/$spaceId'; readonly params: { readonly spaceId: string } }
  | {
      readonly to: '/spaces/$spaceId/fqdns/$fqdnId';
      readonly params: { readonly spaceId: string; readonly fqdnId: string };
    };

/** A link in a row of a long list. The router needs 0.2 ms for the address of one, too much while people scroll. */
export function RowLink({
  label,
  children,
  ...place
}: RowPlace & { readonly label?: string; readonly children: ReactNode }) {
  const router = useRouter();
  const open = (event: MouseEvent) => {
    // the browser opens another tab or window, or downloads
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate(place);
  };
  return (
    <a href={`${router.basepath}${pathOf(place)}`} aria-label={label} onClick={open}>
      {children}
    </a>
  );
}

function pathOf({ to, params }: RowPlace): string {
  const values: Readonly<Record<string, string>> = params;
  return to.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
