/**
 * JSON as other services of this API family write it: a blank after each comma and colon, and nothing beyond ASCII.
 * Takes what JSON.parse may return.
 */
export function asciiJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asciiJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${asciiJson(name)}: ${asciiJson(member)}`).join(', ')}}`;
  }
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
