import { describe, expect, test } from 'vitest';
import { type CertificatesStore, createCertificatesStore } from './certificates.store.js';

const certificate = (id: string, octets = 10) => ({
  id,
  certificatePem: 'x'.repeat(octets),
  createdAt: new Date(0),
  serialNumber: `0${id}`,
  issuer: 'root' as const,
  notAfter: new Date(1),
});
const stored = (store: CertificatesStore, ids: readonly string[]) => ids.filter((id) => store.find(id));

describe('a store of certificates', () => {
  test('finds only inserted certificates', () => {
    const store = createCertificatesStore({ count: 2, octets: 1_000 });
    store.insert(certificate('a'));
    expect(store.find('a')).toEqual(certificate('a'));
    expect(store.find('b')).toBeUndefined();
    expect(store.find('__proto__')).toBeUndefined();
  });

  test.each([
    ['as many as the limit', { count: 3, octets: 1_000 }, [10, 10, 10], ['0', '1', '2']],
    ['one more than the limit', { count: 3, octets: 1_000 }, [10, 10, 10, 10], ['1', '2', '3']],
    ['a limit of one', { count: 1, octets: 1_000 }, [10, 10, 10], ['2']],
    ['exactly as many octets as the limit', { count: 9, octets: 30 }, [10, 10, 10], ['0', '1', '2']],
    ['one octet more', { count: 9, octets: 30 }, [10, 10, 11], ['1', '2']],
    ['a large one pushes several out', { count: 9, octets: 30 }, [10, 10, 10, 25], ['3']],
    ['one above the limit stays alone', { count: 9, octets: 30 }, [10, 31], ['1']],
    ['after one above the limit', { count: 9, octets: 30 }, [31, 10, 10], ['1', '2']],
  ])('keeps the newest: %s', (_, limits, sizes, expected) => {
    const store = createCertificatesStore(limits);
    for (const [place, octets] of sizes.entries()) store.insert(certificate(String(place), octets));
    expect(stored(store, [...sizes.keys()].map(String))).toEqual(expected);
    const bySerialNumber = [...sizes.keys()].filter((place) => store.findBySerialNumber(`0${place}`));
    expect(bySerialNumber.map(String)).toEqual(expected);
  });

  test('stays at its limit over many times as many certificates', () => {
    const store = createCertificatesStore({ count: 100, octets: 1_000_000 });
    const ids = Array.from({ length: 10_000 }, (_, place) => String(place));
    for (const id of ids) store.insert(certificate(id));
    expect(stored(store, ids)).toEqual(ids.slice(-100));
  });
});
