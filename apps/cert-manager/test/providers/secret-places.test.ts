import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { secretMask } from '../../src/providers/changes/config-rules.js';
import { sealConfig } from '../../src/providers/changes/configure-provider.service.js';
import { providerKinds } from '../../src/providers/provider-kinds.js';
import type { ProviderRow } from '../../src/providers/providers.repository.js';

const kinds = Object.values(providerKinds);
const secrets = kinds.flatMap((kind) => kind.secrets.map((secret) => ({ kind, ...secret, name: kind.name })));

test.each(kinds)(
  'every secret that a configuration of $name may have is described',
  ({ schema, secrets }) => {
    const described = secrets.map(({ path }) => path);
    expect(writeOnlyPaths(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))).toEqual(
      described.toSorted(),
    );
  },
);

describe.each(secrets)('$path of $name', ({ kind, path, sentTo }) => {
  const config = (address: string, secret: string) => withValues({ [path]: secret, [sentTo]: address });
  const seal = (address: string, secret: string) => {
    const stored = withValues({ [sentTo]: 'https://a.test:8443/x' });
    const row = {
      id: 'row',
      name: kind.name,
      kind: kind.name,
      config: stored,
      secrets: { [path]: 'sealed' },
    };
    return sealConfig(row as unknown as ProviderRow, config(address, secret), undefined);
  };

  test('is sent to an address that the kind calls', () => {
    expect(kind.addressPaths).toContain(sentTo);
  });

  test.each(['https://a.test:8443/x', 'https://a.test:8443/other?query', 'https://A.test:8443'])(
    'stays if its mask is sent with %s, whose origin is the same',
    (address) => {
      expect(seal(address, secretMask).secrets).toEqual({ [path]: 'sealed' });
    },
  );

  test.each([
    'https://b.test:8443/x',
    'https://a.test/x',
    'http://a.test:8443/x',
    'https://a.test.b.test:8443/x',
    'https://sub.a.test:8443/x',
    'dns://a.test:8443',
    'no address',
  ])('is refused if its mask is sent with %s, whose origin is another', (address) => {
    expect(() => seal(address, secretMask)).toThrow(
      `config.${path}: is sent to ${sentTo}, which changes: enter the secret again`,
    );
  });
});

type Schema = z.core.JSONSchema.BaseSchema;

/** Dotted paths of the members of a schema that are marked as write-only, sorted. */
function writeOnlyPaths(schema: Schema, path = ''): string[] {
  const own = schema.writeOnly === true ? [path] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    typeof member === 'boolean' ? [] : writeOnlyPaths(member, path === '' ? name : `${path}.${name}`),
  );
  const forms = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap((form) =>
    typeof form === 'boolean' ? [] : writeOnlyPaths(form, path),
  );
  return [...new Set([...own, ...members, ...forms])].toSorted();
}

/** Object with a value at each dotted path. */
function withValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    let holder = root;
    for (const step of steps) {
      const next = (holder[step] ?? {}) as Record<string, unknown>;
      holder[step] = next;
      holder = next;
    }
    holder[last] = value;
  }
  return root;
}
