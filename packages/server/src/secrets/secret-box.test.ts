import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveEncryptionKey, keyRingOf, parseKeyRing as parse } from './key-ring.js';
import { keyIdOf, lookupHashes, openSecret, SecretUnreadable, sealSecret } from './secret-box.js';

const parseKeyRing = (text: string) => parse(text, 'cert-manager');

const line = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const first = line('first');
const second = line('second');
const ring = parseKeyRing(`${first}\n${second}\n`);
const place = { table: 'providers', column: 'secrets.eab.hmacKey', rowId: 'row-1' };

describe('a sealed secret', () => {
  test('opens in its own row and column with its key', () => {
    const envelope = sealSecret(ring, place, 'päss word');
    expect(envelope).toMatch(/^v1\.first\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(openSecret(ring, place, envelope)).toBe('päss word');
    expect(keyIdOf(envelope)).toBe('first');
  });

  test('opens if it is empty', () => {
    expect(openSecret(ring, place, sealSecret(ring, place, ''))).toBe('');
  });

  test('has a different ciphertext each time', () => {
    expect(sealSecret(ring, place, 'same')).not.toBe(sealSecret(ring, place, 'same'));
  });

  test('still opens when its key is no longer the active one', () => {
    const envelope = sealSecret(ring, place, 'a secret');
    expect(openSecret(parseKeyRing(`${second}\n${first}`), place, envelope)).toBe('a secret');
  });

  test.each([
    ['another table', { ...place, table: 'accounts' }],
    ['another column', { ...place, column: 'secrets.other' }],
    ['another row', { ...place, rowId: 'row-2' }],
  ])('does not open in %s', (_, elsewhere) => {
    const envelope = sealSecret(ring, place, 'secret');
    expect(() => openSecret(ring, elsewhere, envelope)).toThrow(SecretUnreadable);
  });

  test('does not open with another key of the same id', () => {
    const envelope = sealSecret(ring, place, 'secret');
    expect(() => openSecret(parseKeyRing(line('first')), place, envelope)).toThrow(
      'does not open with the key "first"',
    );
  });

  test('names the key that is missing', () => {
    const envelope = sealSecret(ring, place, 'secret');
    expect(() => openSecret(parseKeyRing(second), place, envelope)).toThrow(
      'is encrypted with the key "first", which is missing',
    );
  });

  test('does not open with the key of another service', () => {
    const envelope = sealSecret(ring, place, 'secret');
    expect(() => openSecret(parse(first, 'check-monitor'), place, envelope)).toThrow(SecretUnreadable);
  });

  test('of earlier versions opens', () => {
    // made by the version before keys had a service
    const key = { id: 'k1', key: new Uint8Array(32).fill(7) };
    const envelope = 'v1.k1.AwMDAwMDAwMDAwMD.V8AtQq6OXZxXKQ.lOcWPJAw9DT63T3ezmjh8Q';
    expect(openSecret(keyRingOf('cert-manager', [key]), place, envelope)).toBe('päss word');
  });

  test.each([0, 1, 2, 3, 4])('does not open when part %i is altered', (part) => {
    const parts = sealSecret(ring, place, 'secret').split('.');
    parts[part] = part < 2 ? `${parts[part]}x` : flipFirst(parts[part] ?? '');
    expect(() => openSecret(ring, place, parts.join('.'))).toThrow(SecretUnreadable);
  });

  test.each([
    ['nothing', ''],
    ['plain text', 'secret'],
    ['a tag cut to 4 octets', shortTag(sealSecret(ring, place, 'secret'))],
    ['a part too many', `${sealSecret(ring, place, 'secret')}.x`],
  ])('refuses %s', (_, text) => {
    expect(() => openSecret(ring, place, text)).toThrow(SecretUnreadable);
  });
});

function flipFirst(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
}

function shortTag(envelope: string): string {
  return envelope.replace(/\.[^.]+$/, (tag) => tag.slice(0, 7));
}

describe('a key ring', () => {
  test('skips comments and empty lines; the first key is active', () => {
    const parsed = parseKeyRing(`# keys\n\n${first}\r\n  ${second}  \n`);
    expect(parsed.active.id).toBe('first');
    expect([...parsed.keys.keys()]).toEqual(['first', 'second']);
  });

  test.each([
    ['no key at all', '# nothing\n', 'holds no key'],
    ['no id', `:${randomBytes(32).toString('base64')}`, 'line 1: is not id:base64'],
    ['an id with a dot', `a.b:${randomBytes(32).toString('base64')}`, 'line 1: is not id:base64'],
    ['a short key', `${first}\na:${randomBytes(16).toString('base64')}`, 'line 2: the key must be 32 octets'],
    ['a long key', `a:${randomBytes(33).toString('base64')}`, 'line 1: the key must be 32 octets'],
    ['an id twice', `${first}\n${line('first')}`, 'line 2: the id is used twice'],
  ])('refuses %s, naming the line', (_, text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });
});

describe('a key that follows from a secret', () => {
  const derived = deriveEncryptionKey('check-monitor', 'a secret of tests');

  test('is the same each time, and another for another secret or service', () => {
    expect(deriveEncryptionKey('check-monitor', 'a secret of tests')).toEqual(derived);
    expect(derived.id).toMatch(/^secret-[\w-]{8}$/);
    for (const other of [
      deriveEncryptionKey('check-monitor', 'a secret of test'),
      deriveEncryptionKey('cert-manager', 'a secret of tests'),
    ]) {
      expect(other.id).not.toBe(derived.id);
      expect(other.key).not.toEqual(derived.key);
    }
  });

  test('encrypts after a key of the ring, and opens what it encrypted before', () => {
    const [own] = [...ring.keys.values()];
    const envelope = sealSecret(keyRingOf('cert-manager', [derived]), place, 'secret');
    const both = keyRingOf('cert-manager', [own ?? derived, derived]);
    expect(openSecret(both, place, envelope)).toBe('secret');
    expect(keyIdOf(sealSecret(both, place, 'secret'))).toBe('first');
  });
});

describe('hashes for lookups', () => {
  const hashes = (text: string, secret: string, column = 'ping_key') =>
    lookupHashes(parseKeyRing(text), { table: 'projects', column }, secret);

  test('are one for each key, that of the active key first', () => {
    const [before] = hashes(first, 'secret');
    const after = hashes(`${second}\n${first}`, 'secret');
    expect(after).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), before]);
    expect(after[0]).not.toBe(before);
  });

  test('differ by secret and column', () => {
    expect(new Set([...hashes(first, 'a'), ...hashes(first, 'b'), ...hashes(first, 'a', 'other')]).size).toBe(
      3,
    );
  });
});
