import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeRenewalInfo } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acmeServerOrders } from '../../src/front/orders/server-orders.repository.js';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { auditEntries } from '../support/inventory.js';

const typeOf = (problem: string) => `urn:ietf:params:acme:error:${problem}`;
const derOf = (pem: string) => new X509Certificate(pem).raw.toString('base64url');

describeEachDialect('certificates of ACME clients', (open) => {
  let place: FrontPlace;
  let made = 0;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  const issue = async (program: AcmeClient) => {
    made += 1;
    return program.issue(dnsIdentifiers(`renewed-${made}.example.com`));
  };
  const infoOf = async (pem: string, userAgent = 'curl') => {
    const url = `${place.base}/acme/renewal-info/${place.renewalIdOf(pem)}`;
    const answer = await fetch(url, { headers: { 'User-Agent': userAgent } });
    return { answer, info: (await answer.json()) as AcmeRenewalInfo };
  };
  const revoke = (program: AcmeClient, pem: string, reason?: number) =>
    program.post(`${place.base}/acme/revoke-cert`, {
      certificate: derOf(pem),
      ...(reason !== undefined && { reason }),
    });

  describe('have renewalInfo', () => {
    test('with the window in which the scheduler would renew, and a page that names nothing', async () => {
      const { program, space } = await place.addProgram();
      const { pem } = await issue(program);
      const { validFrom, validTo } = new X509Certificate(pem);
      const { answer, info } = await infoOf(pem);
      expect(answer.headers.get('retry-after')).toBe('21600');
      const share = (moment: string) =>
        (Date.parse(moment) - Date.parse(validFrom)) / (Date.parse(validTo) - Date.parse(validFrom));
      const { start, end } = info.suggestedWindow;
      expect(share(start)).toBeGreaterThan(0.6);
      expect(share(end)).toBeLessThan(0.7);
      expect(Date.parse(start)).toBeLessThan(Date.parse(end));
      expect(info.explanationURL).toMatch(new RegExp(`^${place.base}/acme/`));
      expect(info.explanationURL).not.toMatch(new RegExp(`renewed-|${space.id}`));
      const page = await fetch(info.explanationURL ?? '');
      expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/ACME client/)]);
    });

    test('with a window in the past once they are revoked', async () => {
      const { program } = await place.addProgram();
      const { pem } = await issue(program);
      expect((await revoke(program, pem)).status).toBe(200);
      const { info } = await infoOf(pem);
      expect(Date.parse(info.suggestedWindow.end)).toBeLessThan(place.app.clock.now().getTime());
    });

    test('with a window in the past once their key is compromised, though another certificate was revoked', async () => {
      const { program } = await place.addProgram();
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const issueWithKey = async () => {
        made += 1;
        return (await program.issue(dnsIdentifiers(`renewed-${made}.example.com`), {}, key)).pem;
      };
      const [revoked, other] = [await issueWithKey(), await issueWithKey()];
      const endOf = async () => Date.parse((await infoOf(other)).info.suggestedWindow.end);
      const now = () => place.app.clock.now().getTime();
      expect(await endOf()).toBeGreaterThan(now());
      expect((await revoke(program, revoked, 1)).status).toBe(200);
      expect(await endOf()).toBeLessThan(now());
    });

    test('that is noted when a client with the user agent of the account reads it', async () => {
      const { program } = await place.addProgram();
      const { order, pem } = await issue(program);
      const id = /orders\/([^/]+)/.exec(order.finalize)?.[1] ?? '';
      const readAt = async () =>
        (await place.app.database.read((tx) => tx.findOneBy(acmeServerOrders, { id })))?.infoReadAt;
      await infoOf(pem, 'curl');
      expect(await readAt()).toBeNull();
      const accountOf = async () =>
        (await place.app.database.read((tx) => tx.findOneBy(acmeServerOrders, { id })))?.userAgent;
      await infoOf(pem, (await accountOf()) ?? '');
      expect(await readAt()).toEqual(place.app.clock.now());
    });

    test('unless no client was given them', async () => {
      const { answer, info } = await infoOf(
        (await issue((await place.addProgram()).program)).pem.replace(/^/, ''),
      );
      expect([answer.status, info.suggestedWindow]).toEqual([200, expect.anything()]);
      const unknown = await fetch(`${place.base}/acme/renewal-info/AAAA.AAAA`);
      expect([unknown.status, await unknown.json()]).toMatchObject([404, { type: typeOf('malformed') }]);
    });
  });

  describe('are revoked', () => {
    test('by any account of their client, once', async () => {
      const { program, client } = await place.addProgram();
      const { pem } = await issue(program);
      const second = await place.register(client);
      expect((await revoke(second, pem, 4)).status).toBe(200);
      expect((await auditEntries(place.app, 'certificate.revoke')).at(-1)).toMatchObject({
        username: `acme:${client.name}`,
        outcome: 'success',
        details: { reason: 'superseded' },
      });
      const again = await revoke(program, pem);
      expect([again.status, again.body]).toMatchObject([400, { type: typeOf('alreadyRevoked') }]);
    });

    test('by their own key', async () => {
      const { program } = await place.addProgram();
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      made += 1;
      const { pem } = await program.issue(dnsIdentifiers(`renewed-${made}.example.com`), {}, key);
      expect((await revoke(new AcmeClient(place.base, key), pem, 1)).status).toBe(200);
    });

    test('but not by another client or another key', async () => {
      const { pem } = await issue((await place.addProgram()).program);
      const other = await revoke((await place.addProgram()).program, pem);
      expect([other.status, other.body]).toMatchObject([404, { type: typeOf('malformed') }]);
      const stranger = await revoke(new AcmeClient(place.base), pem);
      expect([stranger.status, stranger.body]).toMatchObject([404, { type: typeOf('malformed') }]);
    });

    test('only with a reason that a subscriber may give', async () => {
      const { program } = await place.addProgram();
      const { pem } = await issue(program);
      expect((await revoke(program, pem, 6)).body).toMatchObject({ type: typeOf('badRevocationReason') });
    });
  });

  test('can be downloaded until they expire, and their orders are deleted a week later', async () => {
    const { program } = await place.addProgram();
    const { order, pem } = await issue(program);
    const expiry = Date.parse(new X509Certificate(pem).validTo);
    place.app.clock.set(new Date(expiry - 1000));
    expect((await program.post(order.certificate ?? '')).status).toBe(200);
    place.app.clock.advance(1000);
    expect((await program.post(order.certificate ?? '')).status).toBe(404);
    const address = order.finalize.replace('/finalize', '');
    await place.app.jobs.run('acme.orders');
    expect((await program.post(address)).status).toBe(200);
    place.app.clock.advance(7 * 86_400_000);
    await place.app.jobs.run('acme.orders');
    expect((await program.post(address)).status).toBe(404);
    await place.app.jobs.run('acme.nonces');
  });
});
