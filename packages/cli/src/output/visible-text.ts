import { Document, isScalar, visit } from 'yaml';

// what shows nothing, reorders what is shown or moves the cursor of a terminal; joiners only join emoji and letters
const unseen = /(?![\u200c\u200d])[\p{Cf}\u007f-\u009f\u2028\u2029]/gu;

/** JSON of a value in which such characters are escaped, so that a text cannot pass for another one. */
export function visibleJson(value: unknown, indent?: number): string {
  return String(JSON.stringify(value, null, indent)).replace(unseen, (character) =>
    Array.from(
      { length: character.length },
      (_, place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** YAML of a value, likewise; texts with such characters are in quotation marks. */
export function visibleYaml(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar: (_key, node) => {
      if (isScalar(node) && typeof node.value === 'string' && node.value.search(unseen) >= 0) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return document.toString().replace(unseen, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
