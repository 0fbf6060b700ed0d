import { randomBytes } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { addToken, addUser } from '../support/factories.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';
import { type Person, settlePerson, signIn } from '../support/people.js';
import { claimedPng, type Format, picture, sidewaysPicture } from '../support/pictures.js';

const maxBytes = 1_048_576;

describeEachDialect('the picture of a user', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const upload = (bytes: Buffer, id = app.people.ben.id, person: Person = app.people.ben, name = 'me.png') =>
    app.request.post(`/users/${id}/avatar`).set(person.auth).attach('avatar', bytes, name);
  const download = (id = app.people.ben.id, person: Person = app.people.cleo) =>
    app.request.get(`/users/${id}/avatar`).set(person.auth);
  const stored = async (id?: string) => {
    const { body, headers } = await download(id).expect(200);
    expect(headers['content-type']).toBe('image/png');
    const { format, width, height, exif, icc, xmp, orientation } = await sharp(body as Buffer).metadata();
    return { format, width, height, hasMore: Boolean(exif ?? icc ?? xmp ?? orientation) };
  };

  test('returns 404 before it is uploaded', async () => {
    const { body } = await download().expect(404);
    expect(body.code).toBe('avatar_not_found');
  });

  test.each<[Format, number, number, number, number]>([
    ['png', 1, 1, 1, 1],
    ['png', 300, 200, 300, 200],
    ['jpeg', 1024, 512, 512, 256],
    ['webp', 513, 1026, 256, 512],
    ['png', 4096, 4096, 512, 512],
    ['jpeg', 4096, 8, 512, 1],
  ])('as %s of %i by %i is stored as a PNG of %i by %i', async (format, ...[width, height, w, h]) => {
    const { body } = await upload(await picture(format, width, height)).expect(200);
    expect(body).toEqual({ message: 'avatar stored' });
    expect(await stored()).toEqual({ format: 'png', width: w, height: h, hasMore: false });
  });

  test('is rotated upright, and loses its location data', async () => {
    const original = await sidewaysPicture();
    expect(original.toString('latin1')).toContain('at-home');
    await upload(original).expect(200);
    expect(await stored()).toEqual({ format: 'png', width: 20, height: 40, hasMore: false });
    expect((await download()).body.toString('latin1')).not.toContain('at-home');
  });

  test.each([
    ['READ', 403],
    ['READ_WRITE', 200],
  ] as const)('is replaced by a token of the scope %s: %i', async (scope, status) => {
    const auth = { Authorization: `Bearer ${await addToken(app, app.people.ben.id, { scope })}` };
    await upload(await picture('png', 1, 1), app.people.ben.id, { ...app.people.ben, auth }).expect(status);
  });

  test('is the first of several frames', async () => {
    const frames = await sharp(Buffer.concat([Buffer.alloc(300, 1), Buffer.alloc(300, 200)]), {
      raw: { width: 10, height: 20, channels: 3, pageHeight: 10 },
    })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    await upload(frames).expect(200);
    expect(await stored()).toMatchObject({ width: 10, height: 10 });
  });

  test('is recognised by its bytes, for any name and type', async () => {
    await app.request
      .post(`/users/${app.people.ben.id}/avatar`)
      .set(app.people.ben.auth)
      .attach('avatar', await picture('jpeg', 7, 7), {
        filename: '../../x.svg',
        contentType: 'image/svg+xml',
      })
      .expect(200);
    expect(await stored()).toMatchObject({ width: 7 });
  });

  test('can be as large as the limit, and no larger', async () => {
    const small = await picture('png', 5, 5);
    const padded = (length: number) => Buffer.concat([small, Buffer.alloc(length - small.length)]);
    await upload(padded(maxBytes)).expect(200);
    const { body } = await upload(padded(maxBytes + 1)).expect(413);
    expect(body.errors).toMatchObject([{ path: 'avatar', code: 'too_large' }]);
    await upload(randomBytes(8 * maxBytes)).expect(413);
  });

  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['nothing', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('a picture')],
    ['an SVG', () => Buffer.from(svg)],
    ['an SVG behind the signature of a PNG', () => Buffer.from(`\x89PNG\r\n\x1a\n${svg}`, 'latin1')],
    ['an HTML page behind that of a JPEG', () => Buffer.from('\xff\xd8\xff<html>', 'latin1')],
    [
      'a GIF',
      async () =>
        sharp(await picture('png', 5, 5))
          .gif()
          .toBuffer(),
    ],
    [
      'a TIFF',
      async () =>
        sharp(await picture('png', 5, 5))
          .tiff()
          .toBuffer(),
    ],
    ['half of a PNG', async () => (await picture('png', 300, 300)).subarray(0, 200)],
    ['half of a JPEG', async () => (await picture('jpeg', 300, 300)).subarray(0, 400)],
    ['half of a WebP', async () => (await picture('webp', 300, 300)).subarray(0, 40)],
    ['a JPEG of noise', () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), randomBytes(5000)])],
    ['a PNG of 4097 pixels', () => picture('png', 4097, 1)],
    ['a WebP of 4097 pixels', () => picture('webp', 1, 4097)],
    ['a PNG of no pixels', () => claimedPng(0, 0)],
    ['a PNG without its rows', () => claimedPng(4096, 4096)],
    ['a PNG that says to be huge', () => claimedPng(100_000, 100_000)],
    ['a PNG that says to be the largest of all', () => claimedPng(0x7fffffff, 0x7fffffff)],
    // one megabyte of zeros a row, a thousand rows
    ['a PNG that grows a thousandfold', () => claimedPng(30_000, 30_000, Buffer.alloc(30_001 * 1000))],
  ])('is not %s', async (_, make) => {
    await upload(await picture('png', 3, 3)).expect(200);
    const { body } = await upload(await make()).expect(400);
    expect(body.errors).toMatchObject([{ path: 'avatar' }]);
    expect(body.message).not.toMatch(/vips|libpng/i);
    expect(await stored()).toMatchObject({ width: 3 });
  });

  test('reports the limit of its size', async () => {
    const { body } = await upload(claimedPng(5000, 5000)).expect(400);
    expect(body.message).toBe('avatar: must have at most 4096 by 4096 pixels');
  });

  test.each<[string, (path: string) => PromiseLike<{ status: number }>]>([
    ['no body', (path) => app.request.post(path).set(app.people.ben.auth)],
    ['JSON', (path) => app.request.post(path).set(app.people.ben.auth).send({ avatar: 'x' })],
    ['a form without it', (path) => app.request.post(path).set(app.people.ben.auth).field('other', 'x')],
    ['its text', (path) => app.request.post(path).set(app.people.ben.auth).field('avatar', 'x')],
    [
      'another part',
      (path) => app.request.post(path).set(app.people.ben.auth).attach('file', Buffer.from('x'), 'x.png'),
    ],
    [
      'a form without its end',
      (path) =>
        app.request
          .post(path)
          .set(app.people.ben.auth)
          .set('Content-Type', 'multipart/form-data; boundary=x')
          .send('--x\r\nContent-Disposition: form-data; name="avatar"; filename="a"\r\n\r\nabc'),
    ],
  ])('is not %s', async (_, send) => {
    expect((await send(`/users/${app.people.ben.id}/avatar`)).status).toBe(400);
  });

  describe('is uploaded', () => {
    test('by the user in a session, with its CSRF token', async () => {
      const user = await addUser(app);
      const { reading, writing } = await signIn(app, user);
      const post = (headers: object) => app.request.post(`/users/${user.id}/avatar`).set({ ...headers });
      const bytes = await picture('png', 2, 2);
      await post(reading).attach('avatar', bytes, 'a').expect(403);
      await post(writing).attach('avatar', bytes, 'a').expect(200);
      expect(await stored(user.id)).toMatchObject({ width: 2 });
    });

    test('by an administrator for others', async () => {
      await upload(await picture('png', 4, 4), app.people.cleo.id, app.people.ada).expect(200);
      expect(await stored(app.people.cleo.id)).toMatchObject({ width: 4 });
    });

    test('by no one else: others are rejected before the file is read', async () => {
      const before = await stored(app.people.cleo.id);
      await upload(await picture('png', 6, 6), app.people.cleo.id).expect(403);
      await upload(Buffer.from('x'), app.people.cleo.id).expect(403);
      await app.request.post(`/users/${app.people.cleo.id}/avatar`).expect(401);
      expect(await stored(app.people.cleo.id)).toEqual(before);
    });

    test('not for an unknown user', async () => {
      for (const person of [app.people.ada, app.people.ben]) {
        for (const id of [unknownId, ...badIds]) await upload(Buffer.from('x'), id, person).expect(404);
      }
    });
  });

  test('is visible to all signed-in users, and to no one else', async () => {
    await upload(await picture('png', 3, 3)).expect(200);
    for (const person of Object.values(app.people)) await download(undefined, person).expect(200);
    await app.request.get(`/users/${app.people.ben.id}/avatar`).expect(401);
    await download(unknownId).expect(404);
    for (const id of badIds) await download(id).expect(404);
    const { headers } = await app.request.head(`/users/${app.people.ben.id}/avatar`).set(app.people.ben.auth);
    expect(headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
  });

  test('is sent again only when it has changed', async () => {
    await upload(await picture('png', 30, 30)).expect(200);
    const { headers } = await download().expect(200);
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await download().set('If-None-Match', headers['etag'] ?? '');
    expect([again.status, again.headers['content-length']]).toEqual([304, undefined]);
    await upload(await picture('png', 31, 30)).expect(200);
    await download()
      .set('If-None-Match', headers['etag'] ?? '')
      .expect(200);
    await app.request
      .get(`/users/${app.people.ben.id}/avatar`)
      .set('If-None-Match', headers['etag'] ?? '')
      .expect(401);
  });

  test('stays intact when many replace it at once', async () => {
    const sizes = [11, 12, 13, 14, 15, 16];
    const answers = await Promise.all(
      sizes.map(async (size) => (await upload(await picture('webp', size, size))).status),
    );
    expect(answers).toEqual(sizes.map(() => 200));
    expect(sizes).toContain((await stored()).width);
  });

  test('is deleted with its user', async () => {
    const dora = await settlePerson(app, { username: 'dora' });
    await upload(await picture('png', 3, 3), dora.id, dora).expect(200);
    await app.request.delete(`/users/${dora.id}`).set(app.people.ada.auth).expect(200);
    await download(dora.id).expect(404);
    const left = await app.database.read((tx) => tx.query('select user_id from user_avatars'));
    expect(JSON.stringify(left)).not.toContain(dora.id);
  });

  test('is deleted by its user and by administrators, once', async () => {
    const { ada, ben, cleo } = app.people;
    const remove = (person: Person, id = ben.id) =>
      app.request.delete(`/users/${id}/avatar`).set(person.auth);
    for (const person of [ben, ada]) {
      await upload(await picture('png', 3, 3)).expect(200);
      await remove(cleo).expect(403);
      expect((await remove(person).expect(200)).body).toEqual({ message: 'avatar deleted' });
      await download().expect(404);
      expect((await remove(person).expect(404)).body.code).toBe('avatar_not_found');
    }
    for (const id of [unknownId, ...badIds]) await remove(ada, id).expect(404);
    const entries = await auditEntries(app, 'user.avatar.delete');
    expect(entries.map(({ resourceId }) => resourceId)).toEqual([ben.id, ben.id]);
  });

  test('leaves an audit entry', async () => {
    await upload(await picture('png', 3, 3)).expect(200);
    expect((await auditEntries(app, 'user.avatar')).at(-1)).toMatchObject({
      resourceType: 'user',
      resourceId: app.people.ben.id,
      userId: app.people.ben.id,
    });
  });
});
