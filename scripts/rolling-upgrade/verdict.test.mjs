import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCertificates, tableOfCounts } from './verdict.mjs';

const fqdn = 'www.rolling.test';
const certificate = (serialNumber) => ({ fqdn, serialNumber });
const stored = (serialNumber, isAudited = true) => ({ fqdn, serialNumber, isAudited });
const nameWith = (more) =>
  new Map([[fqdn, { asked: 2, acknowledged: new Set(['0a']), isExact: false, ...more }]]);
const good = {
  names: nameWith({ isExact: true }),
  issued: [certificate('0a'), certificate('0b')],
  stored: [stored('0a'), stored('0b')],
  reported: 0,
};
const found = (given) =>
  Object.fromEntries(
    Object.entries(compareCertificates({ ...good, ...given })).filter(([, texts]) => texts.length > 0),
  );

describe('the certificates of an upgrade', () => {
  it('are in order if each is issued, stored and audited once', () => {
    assert.deepEqual(found({}), {});
  });

  for (const [finding, given, texts] of [
    [
      'never stored',
      { issued: [...good.issued, certificate('0c')], names: nameWith({ asked: 3 }) },
      [`${fqdn} 0c`],
    ],
    ['stored twice', { stored: [...good.stored, stored('0b')] }, [`${fqdn} 0b`]],
    ['stored, but not issued', { stored: [...good.stored, stored('0c')] }, [`${fqdn} 0c`]],
    ['acknowledged and lost', { names: nameWith({ acknowledged: new Set(['0a', '0c']) }) }, [`${fqdn} 0c`]],
    ['issued more often than asked', { names: nameWith({ asked: 1 }) }, [`${fqdn}: 2 instead of 1`]],
    ['not renewed', { names: nameWith({ asked: 3, isExact: true }) }, [`${fqdn}: 2 instead of 3`]],
    ['without an audit entry', { stored: [stored('0a'), stored('0b', false)] }, [`${fqdn} 0b`]],
  ]) {
    it(`are reported as ${finding}`, () => {
      assert.deepEqual(found(given), { [finding]: texts });
    });
  }

  it('may be missing if the audit log reports so', () => {
    const issued = [...good.issued, certificate('0c')];
    assert.deepEqual(found({ issued, names: nameWith({ asked: 3 }), reported: 1 }), {});
  });
});

it('prints counts as a table', () => {
  assert.equal(tableOfCounts({ lost: 0 }), '| What | Count |\n|---|---|\n| lost | 0 |');
});
