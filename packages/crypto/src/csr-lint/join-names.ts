/** Up to five names, the rest as a count; `none` for no name. */
export function joinNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
