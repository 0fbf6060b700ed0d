/** Members of a node of a page that count here. */
interface TextNode {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<TextNode>;
  readonly dateTime?: string;
}

/** Text of an element without what changes with the clock alone: of a moment such as `in 3 days` its instant counts. */
export function lastingText(element: TextNode): string {
  const name = element.nodeName.toLowerCase();
  if (name === 'time') return element.dateTime ?? '';
  // charts mark the present
  if (name === 'svg') return '';
  const children = [...element.childNodes];
  return children.length === 0 ? (element.textContent ?? '') : children.map(lastingText).join('');
}
