import { randomUUID } from 'node:crypto';
import { until } from '@certloop/contracts/testing';
import { type Database, executeSql, openDatabase } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger, parseKeyRing } from '@certloop/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { insertChannel } from '../../src/channels/channels.repository.js';
import { createSealer, discardUnreadable, rotateKeys } from '../../src/channels/seal-stored.service.js';
import { keyNames, keyRingFor } from '../../src/config.js';
import { schema } from '../../src/database.js';
import { channelKindNames, parseChannelSettings } from '../../src/integrations/channel-kinds.js';
import { issueKey } from '../../src/projects/create-project.service.js';
import { openSealing } from '../../src/projects/sealing/open-sealing.service.js';
import type { Sealing } from '../../src/projects/sealing/sealing.store.js';
import { openAlertStage } from '../support/alerts.js';

const secret = 'a secret for tests only';
const line = (id: string, octet: number) => `${id}:${Buffer.alloc(32, octet).toString('base64')}`;
const ringOf = (...lines: string[]) =>
  keyRingFor({ secret, encryptionKeys: parseKeyRing(lines.join('\n'), 'check-monitor') });
const logger = createLogger({ service: 'check-monitor', level: 'silent' });

describeEachDialect('secrets at rest', (open) => {
  const stage = openAlertStage(open);
  const extra: Database[] = [];
  afterEach(async () => {
    await Promise.all(extra.splice(0).map((database) => database.close()));
    stage.app.sealing.hasBegun = true;
  });

  /** Everything that is stored about channels and projects, as text. */
  const stored = () =>
    stage.app.database.read(async (tx) =>
      JSON.stringify([await tx.query('select * from channels'), await tx.query('select * from projects')]),
    );
  /** How often a text is stored; a failed assertion does not print all rows. */
  const count = async (part: string) => (await stored()).split(part).length - 1;

  /** Stores in clear, as versions before encryption do. */
  const inClear = async <T>(work: () => Promise<T>): Promise<T> => {
    await stage.app.database.transaction((tx) => executeSql(tx, 'delete from encryption_canaries'));
    stage.app.sealing.hasBegun = false;
    return work();
  };

  const hook = (path: string) => {
    const call = {
      method: 'POST',
      url: `${stage.target.url}${path}`,
      headers: { Authorization: 'very-secret' },
    };
    return stage.channel('webhook', { down: call, up: null });
  };

  const anotherHook = (projectId: string) => {
    const down = { method: 'POST', url: 'https://hook.example', headers: { Authorization: 'very-secret' } };
    const names = { uuid: randomUUID(), kind: 'webhook', name: 'bulk', createdAt: 1, verifiedAt: 1 };
    return { ...names, projectId, settings: { down, up: null } };
  };

  /** Whether a ping by key arrives and its alert is sent with the secret header. */
  const works = async (slug: string, path: string, pingKey = stage.ada.keys.pingKey) => {
    await stage.app.http.get(`/ping/${pingKey}/${slug}/fail?create=1`).expect(201);
    await stage.app.tick();
    await stage.app.deliver();
    const sent = stage.target.requests.filter((request) => request.path === path);
    expect(sent.map(({ headers }) => headers['authorization'])).toContain('very-secret');
  };

  const sealerFor = (sealing: Sealing = stage.app.sealing, db = stage.app.database) =>
    createSealer({ db, clock: stage.app.accounts.clock, logger }, sealing);
  const rounds = async (round: () => Promise<void>, count: number) => {
    for (let n = 0; n < count; n++) await round();
  };

  test('are encrypted from the first project on, and still work', async () => {
    await hook('/hook-with-token');
    for (const one of ['hook-with-token', 'very-secret', stage.ada.keys.pingKey])
      expect(await count(one)).toBe(0);
    await works('first', '/hook-with-token');
    const project = await stage.app.accounts.db.read((tx) =>
      tx.query('select ping_key, ping_key_hash from projects'),
    );
    expect(project[0].ping_key).toBeNull();
  });

  describe('that an earlier version stored in clear', () => {
    test('are encrypted some at a time, also after a run that was cut short and by two processes at once', async () => {
      let pingKey = '';
      await inClear(async () => {
        pingKey = await issueKey(stage.app.accounts, stage.ada.keys.projectId, 'ping');
        await hook('/clear');
        const { keys } = await stage.app.newProject();
        await stage.app.database.transaction(async (tx) => {
          for (let n = 1; n < 250; n++) await insertChannel(tx, anotherHook(keys.projectId));
        });
      });
      expect(await count('very-secret')).toBeGreaterThan(0);
      const { sealing, database } = stage.app;
      let transactions = 0;
      const dying: Database = {
        ...database,
        transaction: (work) => {
          transactions += 1;
          if (transactions === 3) throw new Error('killed');
          return database.transaction(work);
        },
      };
      const round = sealerFor(sealing, dying);
      await rounds(round, 5);
      expect(await count('very-secret')).toBe(250);
      await expect(round()).rejects.toThrow('killed');
      expect(await count('very-secret')).toBe(150);
      await works('between', '/clear', pingKey);
      await Promise.all([sealerFor()(), sealerFor()()]);
      for (const one of ['very-secret', pingKey]) expect(await count(one)).toBe(0);
      await works('after', '/clear', pingKey);
    });

    test('stay in clear while a process of that version is connected, which sends and finds them', async () => {
      const { url, database } = stage.app;
      if (!url.startsWith('postgres')) return;
      const former = await openDatabase({ url: `${url}?application_name=certloop`, schema });
      extra.push(former);
      await former.read((tx) => tx.query('select 1'));
      const pingKey = await inClear(async () => {
        await hook('/former');
        return issueKey(stage.app.accounts, stage.ada.keys.projectId, 'ping');
      });
      const round = sealerFor();
      const found = () =>
        former.read((tx) => tx.query('select id from projects where ping_key = $1', [pingKey]));
      await rounds(round, 20);
      expect(await found()).toHaveLength(1);
      expect(await count('/former')).toBeGreaterThan(0);
      await works('during', '/former', pingKey);
      expect(
        await rotateKeys({ db: database, clock: stage.app.accounts.clock }, stage.app.sealing),
      ).toBeUndefined();

      await extra.splice(0)[0]?.close();
      // the server forgets a connection a moment after it was closed
      const open = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'certloop'`;
      await until(async () => (await database.read((tx) => executeSql(tx, open))) === 0);
      await rounds(round, 5);
      expect(await count('/former')).toBeGreaterThan(0);
      await round();
      expect(await count('/former')).toBe(0);
      await works('later', '/former', pingKey);
    });
  });

  describe('keys', () => {
    test('can be replaced, after which the earlier ones are not needed', async () => {
      await hook('/rotated');
      const { database, sealing } = stage.app;
      const deps = { db: database, clock: stage.app.accounts.clock };
      const former = sealing.ring;
      const use = (ring: Sealing['ring']) => Object.assign(sealing, { ring });
      use(ringOf(line('k2', 2)));
      await openSealing(deps, sealing);
      await works('mixed', '/rotated');
      const rotation = await rotateKeys(deps, sealing);
      expect(rotation).toMatchObject({ activeKey: 'k2', unusedKeys: [former.active.id] });
      expect(rotation?.encrypted).toBeGreaterThan(1);
      expect(await rotateKeys(deps, sealing)).toMatchObject({ encrypted: 0 });
      expect(await count(former.active.id)).toBe(0);

      // the secret, too, is replaced once the earlier one is known as such
      const encryptionKeys = parseKeyRing(line('k2', 2), 'check-monitor');
      const another = 'another secret of tests';
      use(keyRingFor({ secret: another, formerSecret: secret, encryptionKeys }));
      await openSealing(deps, sealing);
      await rotateKeys(deps, sealing);
      use(keyRingFor({ secret: another, encryptionKeys }));
      await openSealing(deps, sealing);
      await works('alone', '/rotated');
      await expect(openSealing(deps, { ring: former, hasBegun: false })).rejects.toThrow(
        'CHECK_MONITOR_ENCRYPTION_KEYS: the key "k2" that this database was encrypted with is missing',
      );
      await expect(openSealing(deps, { ring: ringOf(line('k2', 3)), hasBegun: false })).rejects.toThrow(
        'CHECK_MONITOR_ENCRYPTION_KEYS: the key "k2" is not the one that this database was encrypted with',
      );
      use(keyRingFor({ secret, formerSecret: another, encryptionKeys }));
      const back = { ...sealing, ring: former };
      use({ ...former, keys: new Map([...former.keys, ...sealing.ring.keys]) });
      await rotateKeys(deps, sealing);
      use(back.ring);
    });

    test('that are separate leave a fingerprint of the secret, which hashes API keys', async () => {
      const { database, sealing } = stage.app;
      const deps = { db: database, clock: stage.app.accounts.clock };
      const former = sealing.ring;
      const encryptionKeys = parseKeyRing(line('k4', 4), 'check-monitor');
      const ringWith = (one: string, formerSecret?: string) => ({
        ring: keyRingFor({ secret: one, formerSecret, encryptionKeys }),
        hasBegun: false,
        names: keyNames({ CHECK_MONITOR_SECRET_FILE: '/secrets/monitor' }),
      });
      const ours = ringWith(secret);
      await openSealing(deps, ours);
      await rotateKeys(deps, Object.assign(sealing, ours));
      await expect(openSealing(deps, ringWith('a secret made anew'))).rejects.toThrow(
        'CHECK_MONITOR_SECRET (/secrets/monitor): this database relies on another secret: restore it from a backup (docs/backup-and-restore.md)',
      );
      await openSealing(deps, ours);
      Object.assign(sealing, { ring: { ...former, keys: new Map([...ours.ring.keys, ...former.keys]) } });
      await rotateKeys(deps, sealing);
      Object.assign(sealing, { ring: former });
      await openSealing(deps, sealing);
    });

    test('that follow from a secret need the earlier secret when it changes', async () => {
      await hook('/follows');
      const deps = { db: stage.app.database, clock: stage.app.accounts.clock };
      const other = { secret: 'another secret of tests', encryptionKeys: undefined };
      await expect(openSealing(deps, { ring: keyRingFor(other), hasBegun: false })).rejects.toThrow(
        'set CHECK_MONITOR_FORMER_SECRET to the earlier secret',
      );
      const both = { ring: keyRingFor({ ...other, formerSecret: secret }), hasBegun: false };
      await openSealing(deps, both);
      expect(both.hasBegun).toBe(true);
    });

    test('that are lost end what they encrypted, and nothing else', async () => {
      const lost = await hook('/lost');
      const group = await stage.channel('group', { channels: [lost.uuid] });
      const { database, sealing } = stage.app;
      const deps = { db: database, clock: stage.app.accounts.clock };
      const former = sealing.ring;
      const ring = keyRingFor({ secret: 'another secret of tests', encryptionKeys: undefined });
      Object.assign(sealing, { ring });
      await expect(openSealing(deps, sealing)).rejects.toThrow('set CHECK_MONITOR_FORMER_SECRET');
      expect(await discardUnreadable(deps, sealing)).toMatchObject({ integrations: 2 });
      expect(await discardUnreadable(deps, sealing)).toEqual({ integrations: 0, pingKeys: 0 });
      await openSealing(deps, sealing);
      expect(await stage.read(lost)).toMatchObject({
        settings: {},
        disabledAt: expect.any(Number),
        lastError: 'its settings could not be decrypted: enter them again',
      });
      expect((await stage.read(group)).settings).toEqual({ channels: [] });
      await stage.app.http.get(`/ping/${stage.ada.keys.pingKey}/gone?create=1`).expect(404);
      const pingKey = await issueKey(stage.app.accounts, stage.ada.keys.projectId, 'ping');
      await hook('/anew');
      await works('anew', '/anew', pingKey);
      Object.assign(sealing, { ring: { ...former, keys: new Map([...former.keys, ...ring.keys]) } });
      await rotateKeys(deps, sealing);
      Object.assign(sealing, { ring: former });
    });

    test('that are missing for some rows let only these integrations wait, without the secret', async () => {
      const { uuid } = await hook('/moved');
      const call = await hook('/other');
      const group = await stage.channel('group', { channels: [call.uuid] });
      await stage.app.database.transaction(async (tx) => {
        const move = `update channels set settings = (select settings from channels where uuid = $1)
          where uuid in ($2, $3)`;
        await executeSql(tx, move, [uuid, call.uuid, group.uuid]);
      });
      await works('one-of-three', '/moved');
      expect(stage.target.requests).toHaveLength(1);
      for (const other of [call, group]) {
        const { settings, lastError } = await stage.read(other);
        expect(settings).toEqual({});
        expect(lastError).toMatch(/^the settings of the channel could not be decrypted/);
      }
      const { body } = await stage.ada.get('/channels/').expect(200);
      expect(JSON.stringify(body)).not.toContain('moved');
    });

    test('that only one of two processes has delay alerts at the other one, and lose none', async () => {
      const { app, read, log, fail, target } = stage;
      const { database, sealing, clock, logger } = app;
      const deps = { db: database, clock: app.accounts.clock };
      const former = sealing.ring;
      const use = (ring: Sealing['ring']) => Object.assign(sealing, { ring });
      const warn = vi.spyOn(logger, 'warn');
      // a process of the new key is the first to store settings
      use(ringOf(line('k3', 3)));
      await openSealing(deps, sealing);
      const edited = await hook('/edited');
      // one of the earlier keys takes the alerts
      use(former);
      await fail('one');
      await app.deliver();
      await fail('two');
      await app.deliver();
      expect(target.requests).toEqual([]);
      expect(await read(edited)).toMatchObject({
        disabledAt: null,
        lastError: expect.stringMatching(/could not be decrypted/),
      });
      expect(await log(edited)).toMatchObject([
        { settledAt: null, tries: 1 },
        { settledAt: null, tries: 1 },
      ]);
      const warnings = warn.mock.calls.filter(([, event]) => event === 'channel.settings_not_decrypted');
      expect(warnings).toEqual([[{ channel: edited.uuid }, 'channel.settings_not_decrypted']]);

      use(ringOf(line('k3', 3)));
      clock.advance(5000);
      await app.deliver();
      expect(target.requests.map(({ path }) => path)).toEqual(['/edited', '/edited']);
      expect(await read(edited)).toMatchObject({ lastError: null, failingSince: null });
      use({ ...former, keys: new Map([...former.keys, ...sealing.ring.keys]) });
      await rotateKeys(deps, sealing);
      use(former);
      warn.mockRestore();
    });

    test.each(channelKindNames)('that are missing make no valid settings of kind %s', (kind) => {
      expect(() => parseChannelSettings(kind, {})).toThrow('settings');
    });
  });
});
