const maxWhole = 48;
const endLength = 16;

/**
 * A name on one line. A long one loses its middle, as its end says most of a host name; its whole text stays for the
 * search of the browser and shows on hover. A link around it needs the name as `aria-label`.
 */
export function LongName({ children }: { readonly children: string }) {
  const characters = [...children];
  if (characters.length <= maxWhole) return <bdi>{children}</bdi>;
  return (
    <bdi className="cl-long" title={children}>
      <span>{characters.slice(0, -endLength).join('')}</span>
      <span>{characters.slice(-endLength).join('')}</span>
    </bdi>
  );
}
