/** Names as labels of metrics: the first `max` of them, and `(other)`, which no provider can have, for all further ones. */
export function createLabels(max: number): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (names.size < max) names.add(name);
    return names.has(name) ? name : '(other)';
  };
}
