import { afterEach, beforeAll, expect, test } from 'vitest';
import { type Class, classifyObservation } from '../src/classify.js';
import { createGuard } from '../src/guard.js';
import { probe } from '../src/probe.client.js';
import { type Authority, createAuthority, fromNow, type Leaf, pemOf } from './authority.js';
import { type Speaker, startTls } from './speaker.js';

const name = 'www.example.test';
const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] });
let ours: Authority;
let theirs: Authority;
const leaves: Record<string, Leaf> = {};
let speaker: Speaker | undefined;

beforeAll(async () => {
  ours = await createAuthority('Ours');
  theirs = await createAuthority('Theirs');
  const newest = await ours.issue();
  const { keys } = newest;
  Object.assign(leaves, {
    newest,
    earlier: await ours.issue({ keys }),
    expired: await ours.issue({ notBefore: fromNow(-90), notAfter: fromNow(-1) }),
    future: await ours.issue({ notBefore: fromNow(1) }),
    otherName: await ours.issue({ dnsNames: ['other.example.test'] }),
    sameKey: await theirs.issue({ keys }),
    foreign: await theirs.issue(),
  });
});
afterEach(() => speaker?.close());

/** Certificates in the order in which a server sends them: a leaf, and authorities by `ours.` or `theirs.`. */
function chainOf(words: string) {
  const [leaf = '', ...others] = words.split(' ');
  const authorities = { ours, theirs };
  return [
    (leaves[leaf] as Leaf).certificate,
    ...others.map((word) => {
      const [owner, part] = word.split('.') as ['ours' | 'theirs', 'root' | 'intermediate'];
      return authorities[owner][part];
    }),
  ];
}

test.each<[string, Class]>([
  ['newest ours.intermediate', 'current'],
  ['newest ours.intermediate ours.root', 'current'],
  ['newest', 'chain_incomplete'],
  ['newest ours.root', 'chain_incomplete'],
  ['newest theirs.intermediate', 'chain_incomplete'],
  ['newest theirs.intermediate theirs.root', 'chain_incomplete'],
  // in the wrong order, and with what does not belong to it: clients find their way
  ['newest ours.root ours.intermediate', 'current'],
  ['newest theirs.root ours.intermediate theirs.intermediate', 'current'],
  ['earlier ours.intermediate', 'previous'],
  // the class says what to do first; the chain is judged with the newest
  ['earlier', 'previous'],
  ['expired ours.intermediate', 'expired'],
  ['future ours.intermediate', 'not_yet_valid'],
  ['otherName ours.intermediate', 'name_mismatch'],
  ['sameKey theirs.intermediate', 'reissued_elsewhere'],
  ['foreign theirs.intermediate', 'foreign'],
])('a TLS server that sends %s is %s', async (words, expected) => {
  const [leaf = ''] = words.split(' ');
  speaker = await startTls({ cert: pemOf(...chainOf(words)), key: (leaves[leaf] as Leaf).keyPem });
  const target = { host: '127.0.0.1', port: speaker.port, protocol: 'tls', sni: name } as const;
  const [found] = await probe(target, { guard });
  if (found === undefined) throw new Error('nothing was observed');
  const now = new Date();
  const verdict = classifyObservation(found.observation, {
    name,
    trustedRoots: [],
    now,
    expected: {
      newest: (leaves['newest'] as Leaf).certificate,
      issuedWith: [ours.intermediate, ours.root],
      earlier: [{ certificate: (leaves['earlier'] as Leaf).certificate, replacedAt: now }],
      graceSeconds: 60,
    },
  });
  expect(verdict.class).toBe(expected);
});
