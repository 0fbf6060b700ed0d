import { type AcmeTool, acmeTools } from '@certloop/contracts';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { query } from 'jsonpath-rfc9535';

const plainKinds = ['table', 'wide', 'json', 'yaml', 'name', 'csv'] as const;

/** How answers are written. */
export type Format =
  | { readonly kind: (typeof plainKinds)[number] }
  | { readonly kind: 'jsonpath'; readonly expression: string }
  // commands that set up an ACME client, of the two commands that show its key
  | { readonly kind: 'setup'; readonly tool: AcmeTool };

/** Values of the option, for help and completion. */
export const formatNames = [...plainKinds, 'jsonpath=<path>'];

/** Reader of the option `--output`; throws commander's own error for an unknown format or a wrong JSONPath. */
export function parseFormat(text: string): Format {
  const kind = plainKinds.find((each) => each === text);
  if (kind !== undefined) return { kind };
  if (text.startsWith('jsonpath=')) return { kind: 'jsonpath', expression: expressionOf(text.slice(9)) };
  const tool = acmeTools.find((each) => each === text);
  if (tool !== undefined) return { kind: 'setup', tool };
  throw new InvalidArgumentError(`It is one of ${formatNames.join(', ')}.`);
}

/** By RFC 9535; what kubectl writes as {.items[*].name} is understood too. Throws commander's own error. */
function expressionOf(text: string): string {
  const bare = text.replace(/^\{(.*)\}$/, '$1');
  const expression = bare.startsWith('$') ? bare : `$${bare}`;
  try {
    query(null, expression);
    return expression;
  } catch (error) {
    throw new InvalidArgumentError(
      `${text} is not a JSONPath such as $[*].name: ${(error as Error).message.split('\n', 1)[0]}`,
    );
  }
}
