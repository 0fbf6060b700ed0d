import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signTag } from '../../src/badges/badge-signature.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { bounceAddress } from '../../src/integrations/links/bounce-address.js';
import { signedLink } from '../../src/integrations/links/signed-link.js';
import { type Setup, setUpProject } from '../../src/projects/create-project.service.js';
import { findProjectByPingKey } from '../../src/projects/projects.repository.js';
import { openTestApp, type TestApp } from '../support/app.js';

const formerSecret = 'short';

describeEachDialect('service with a former secret', (open) => {
  let app: TestApp;
  let keys: Setup;
  const list = (key: string) => app.http.get('/api/v3/checks/').set('X-Api-Key', key);

  beforeAll(async () => {
    app = await openTestApp(open, { formerSecret });
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    keys = await setUpProject({ ...app.accounts, secret: formerSecret }, owner, 'Jobs');
  });
  afterAll(() => app.close());

  test('accepts keys made under either secret', async () => {
    await list(keys.readWriteKey).expect(200);
    await list(keys.readOnlyKey).expect(200);
    await app.http.get(`/projects/${keys.projectId}/metrics/${keys.readOnlyKey}`).expect(200);
    await list((await app.newProject()).keys.readWriteKey).expect(200);
    await list(`hcw_${'a'.repeat(28)}`).expect(401);
  });

  test('accepts badges signed under either secret, and signs under the present one', async () => {
    const project = await app.database.read((tx) => findProjectByPingKey(tx, keys.pingKey));
    const badgeKey = project?.badgeKey ?? '';
    const badge = (secret: string) =>
      app.http.get(`/badge/${badgeKey}/${signTag({ badgeKey, secret }, 'prod')}/prod.json`);
    await badge(formerSecret).expect(200);
    await badge(app.accounts.secret).expect(200);
    await badge('another').expect(404);
    const { body } = await app.http.get('/api/v3/badges/').set('X-Api-Key', keys.readOnlyKey);
    expect(body.badges['*'].svg3).toContain(signTag({ badgeKey, secret: app.accounts.secret }, '*'));
  });

  test('accepts links in mails made under either secret', async () => {
    const settings = { address: 'ops@example.org' };
    const wanted = { kind: 'email', name: 'Ops', settings, isVerified: true } as const;
    const channelUuid = await createChannel(app.accounts, { ...wanted, projectId: keys.projectId });
    const link = (secret: string) => signedLink({ siteRoot: '', secret }, { purpose: 'unsub', channelUuid });
    await app.http.get(link(formerSecret)).expect(200);
    await app.http.get(link(app.accounts.secret)).expect(200);
    await app.http.get(link('another')).expect(404);
  });

  test('accepts envelope senders made under either secret', async () => {
    const to = (secret: string) => bounceAddress({ domain: 'x.example', secret }, keys.projectId);
    const bounce = (address: string) =>
      app.http
        .post('/api/v3/bounces/')
        .type('message/rfc822')
        .send(`To: ${address}\r\n\r\nAction: failed\r\nStatus: 2.0.0\r\n`);
    await bounce(to(formerSecret)).expect(200, 'OK (ignored)');
    await bounce(to(app.accounts.secret)).expect(200, 'OK (ignored)');
    await bounce(to('another')).expect(200, 'OK (bad signature)');
  });
});
