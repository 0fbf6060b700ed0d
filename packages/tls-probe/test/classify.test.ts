import { spkiSha256 } from '@certloop/crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Class, classes, classifyObservation, type Judging } from '../src/classify.js';
import { hintOf } from '../src/hint.js';
import type { ServedCertificate } from '../src/observation.js';
import { type Authority, createAuthority, fromNow, type Leaf } from './authority.js';

const name = 'www.example.test';
let ours: Authority;
let theirs: Authority;
const leaves: Record<string, Leaf> = {};

beforeAll(async () => {
  ours = await createAuthority('Ours');
  theirs = await createAuthority('Theirs');
  const newest = await ours.issue();
  const { keys } = newest;
  Object.assign(leaves, {
    newest,
    older: await ours.issue({ notAfter: fromNow(20) }),
    expired: await ours.issue({ notBefore: fromNow(-90), notAfter: fromNow(-1) }),
    future: await ours.issue({ notBefore: fromNow(1) }),
    otherName: await ours.issue({ dnsNames: ['other.example.test'] }),
    wildcard: await ours.issue({ dnsNames: ['*.example.test'] }),
    sameKey: await theirs.issue({ keys }),
    foreign: await theirs.issue(),
    rsa: await theirs.issue({ kind: 'RSA-2048' }),
  });
});

const leafOf = (which: string) => leaves[which] as Leaf;

const served = (which: string, ...others: ServedCertificate['others']): ServedCertificate => ({
  leaf: leafOf(which).certificate,
  others,
});

/** Newest is ours since `ageSeconds`, with a grace of an hour. */
function expecting(
  ageSeconds: number,
  issuedWith: ServedCertificate['others'] = [ours.intermediate],
): Judging {
  const now = new Date();
  const expected = {
    newest: leafOf('newest').certificate,
    issuedWith,
    earlier: ['older', 'expired'].map((which) => ({
      certificate: leafOf(which).certificate,
      replacedAt: new Date(now.getTime() - ageSeconds * 1000),
    })),
    graceSeconds: 3600,
  };
  return { name, expected, trustedRoots: [], now };
}

const verdict = (what: ServedCertificate, judging: Judging) =>
  classifyObservation({ served: [what] }, judging);

describe('with an expected certificate, classify', () => {
  test.each<[string, string, number, Class, boolean]>([
    ['the newest', 'newest', 0, 'current', true],
    ['an earlier one within the grace', 'older', 3599, 'previous', true],
    ['an earlier one after the grace', 'older', 3601, 'stale', false],
    ['an expired one of ours', 'expired', 0, 'expired', false],
    ['one of the future', 'future', 0, 'not_yet_valid', false],
    ['one for another name', 'otherName', 0, 'name_mismatch', false],
    ['one with our key from elsewhere', 'sameKey', 0, 'reissued_elsewhere', false],
    ['one that covers the name by a wildcard', 'wildcard', 0, 'foreign', false],
    ['a foreign one', 'foreign', 0, 'foreign', false],
  ])('judges %s', (_kind, which, age, expected, isWell) => {
    expect(verdict(served(which, ours.intermediate), expecting(age))).toMatchObject({
      class: expected,
      isWell,
    });
  });

  test('misses an intermediate by the issued root, and without a root by what was issued', () => {
    for (const issuedWith of [[ours.intermediate], [ours.intermediate, ours.root]]) {
      const judging = expecting(0, issuedWith);
      expect(verdict(served('newest'), judging)).toMatchObject({
        class: 'chain_incomplete',
        reason: 'no issuer is known for ""',
      });
      expect(verdict(served('newest', theirs.intermediate), judging).class).toBe('chain_incomplete');
      expect(verdict(served('newest', ours.intermediate), judging).class).toBe('current');
      expect(verdict(served('newest', ours.intermediate, ours.root), judging).class).toBe('current');
    }
    expect(verdict(served('newest'), expecting(0, [])).class).toBe('current');
  });

  test('judges the one with our kind of key where two are served', () => {
    const both = { served: [served('rsa'), served('newest', ours.intermediate)] } as const;
    expect(classifyObservation(both, expecting(0)).class).toBe('current');
  });
});

describe('without one, classify', () => {
  test('judges by the trusted roots', () => {
    const judging = { name, trustedRoots: [ours.root], now: new Date() };
    expect(verdict(served('newest', ours.intermediate), judging)).toMatchObject({
      class: 'trusted',
      isWell: true,
    });
    expect(verdict(served('newest'), judging)).toMatchObject({ class: 'untrusted', isWell: false });
    expect(verdict(served('foreign', theirs.intermediate), judging).class).toBe('untrusted');
    expect(verdict(served('expired'), judging).class).toBe('expired');
  });
});

test('classify is total, and every verdict has a hint that names the place', () => {
  const which = fc.constantFrom(...'newest older expired future otherName sameKey foreign rsa'.split(' '));
  const age = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(
      fc.array(which, { minLength: 1, maxLength: 2 }),
      age,
      fc.boolean(),
      fc.boolean(),
      (all, seconds, whole, known) => {
        const [first = 'newest', ...rest] = all;
        const others = whole ? [ours.intermediate] : [];
        const observation = {
          served: [served(first, ...others), ...rest.map((one) => served(one))],
        } as const;
        const judging = known ? expecting(seconds) : { ...expecting(seconds), expected: undefined };
        const found = classifyObservation(observation, judging);
        expect(classes).toContain(found.class);
        expect(hintOf('10.0.0.7:443', found, observation)).toMatch(
          /^10\.0\.0\.7:443 (?:still )?serves certificate 01.*\.$/,
        );
      },
    ),
    { numRuns: 60 },
  );
  const refused = { stage: 'refused', fault: 'connection_refused' } as const;
  const gone = classifyObservation(refused, expecting(0));
  expect(gone).toEqual({ class: 'unreachable', isWell: false });
  expect(hintOf('a:1', gone, refused)).toBe(
    'a:1: the connection was refused: nothing listens there, or a firewall rejects it.',
  );
});

test('the order of the rules is that of the classes: the first that holds is the verdict', () => {
  const kinds = 'newest older expired future otherName sameKey foreign'.split(' ');
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.integer({ min: 0, max: 7200 }),
      fc.boolean(),
      fc.boolean(),
      (kind, seconds, whole, isReached) => {
        const { certificate } = leafOf(kind);
        const judging = expecting(seconds);
        const { now } = judging;
        const isOurs = ['older', 'expired'].includes(kind);
        // each rule alone, as the table has it
        const rules: Record<string, boolean> = {
          unreachable: !isReached,
          expired: certificate.notAfter < now,
          not_yet_valid: certificate.notBefore > now,
          name_mismatch: kind === 'otherName',
          chain_incomplete: kind === 'newest' && !whole,
          current: kind === 'newest',
          previous: isOurs && seconds < 3600,
          stale: isOurs,
          reissued_elsewhere: kind === 'sameKey',
          foreign: true,
        };
        const first = classes.find((one) => rules[one] === true);
        const observation = isReached
          ? ({ served: [served(kind, ...(whole ? [ours.intermediate] : []))] } as const)
          : ({ stage: 'refused', fault: 'connection_refused' } as const);
        expect(classifyObservation(observation, judging).class).toBe(first);
      },
    ),
    { numRuns: 100 },
  );
});

test('a key of our CSR is ours before its first certificate, and any other is foreign', () => {
  const { certificate } = leafOf('foreign');
  const judging = (keys: string[]) => ({
    ...expecting(0),
    expected: { issuedWith: [], earlier: [], graceSeconds: 0, keys },
  });
  expect(verdict(served('foreign'), judging([])).class).toBe('foreign');
  const keys = [spkiSha256(certificate.spkiDer)];
  expect(verdict(served('foreign'), judging(keys)).class).toBe('reissued_elsewhere');
});
