import { makeGroup } from '../../support/access/groups.js';
import type { TestApp } from '../../support/app.js';
import { addToken, addUser } from '../../support/factories.js';
import { signIn } from '../../support/people.js';
import { picture } from '../../support/pictures.js';
import { ask, read, requestsTo } from './asked.js';

/** Requests about users, their sessions and tokens, and their groups. */
export const accountRequests = requestsTo({
  getAuthState: (app) => read(app, '/auth/state'),
  login: async (app) => ({
    answer: await app.request.post('/auth/login').send(await addUser(app)),
    leaves: 'auth.login',
  }),
  bootstrap: async (app) => ({
    answer: await app.request.post('/auth/bootstrap').send({
      token: 'cms_x',
      username: 'someone',
      email: 'someone@example.org',
      password: 'correct horse',
    }),
    leaves: { nothingBecause: 'there is an administrator, so it is gone' },
  }),
  logout: async (app) => {
    const { writing } = await newSession(app);
    return { answer: await app.request.post('/auth/logout').set(writing), leaves: 'auth.logout' };
  },
  getMe: (app) => read(app, '/auth/me'),
  listSessions: async (app) => {
    const { reading } = await newSession(app);
    return { answer: await app.request.get('/auth/sessions').set(reading) };
  },
  deleteSession: async (app) => {
    const { reading, writing } = await newSession(app);
    const { body } = await app.request.get('/auth/sessions').set(reading);
    const answer = await app.request.delete(`/auth/sessions/${body[0].id}`).set(writing);
    return { answer, leaves: 'auth.logout' };
  },
  changePassword: async (app) => {
    const { writing, password } = await newSession(app);
    const body = { currentPassword: password, newPassword: 'battery staple' };
    return {
      answer: await app.request.post('/auth/password').set(writing).send(body),
      leaves: 'user.password',
    };
  },
  listApiTokens: async (app) => {
    const { reading } = await newSession(app);
    return { answer: await app.request.get('/api-tokens').set(reading) };
  },
  createApiToken: async (app) => {
    const { writing } = await newSession(app);
    return { answer: await newToken(app, writing), leaves: 'auth.token.create' };
  },
  deleteApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    return {
      answer: await app.request.delete(`/api-tokens/${body.id}`).set(writing),
      leaves: 'auth.token.revoke',
    };
  },
  succeedApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    const sent = app.request.post('/api-tokens/self/successor');
    return { answer: await sent.set('Authorization', `Bearer ${body.token}`), leaves: 'auth.token.renew' };
  },
  deleteOwnApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    const sent = app.request.delete('/api-tokens/self');
    return { answer: await sent.set('Authorization', `Bearer ${body.token}`), leaves: 'auth.token.revoke' };
  },
  listUserApiTokens: (app) => read(app, `/users/${app.people.ben.id}/api-tokens`),
  deleteUserApiToken: async (app) => {
    const { id } = await addUser(app);
    const token = await addToken(app, id);
    const path = `/users/${id}/api-tokens/${token.slice(4, 12)}`;
    return { answer: await ask(app, 'delete', path), leaves: 'auth.token.revoke' };
  },
  getUserPermissions: (app) => read(app, `/users/${app.people.ben.id}/permissions`),
  getOwnPermissions: (app) => read(app, '/user/permissions'),

  listUsers: (app) => read(app, '/users'),
  createUser: async (app) => {
    const user = { username: 'new.user', email: 'new.user@example.org', password: 'correct horse' };
    return { answer: await ask(app, 'post', '/users').send(user), leaves: 'user.create' };
  },
  getUser: async (app) => read(app, `/users/${app.people.ben.id}`),
  updateUser: async (app) => {
    const { id } = await addUser(app);
    return { answer: await ask(app, 'put', `/users/${id}`).send({ enabled: false }), leaves: 'user.update' };
  },
  deleteUser: async (app) => ({
    answer: await ask(app, 'delete', `/users/${(await addUser(app)).id}`),
    leaves: 'user.delete',
  }),

  getAvatar: async (app) => {
    await newAvatar(app);
    return read(app, `/users/${app.people.ada.id}/avatar`);
  },
  uploadAvatar: async (app) => ({ answer: await newAvatar(app), leaves: 'user.avatar' }),
  deleteAvatar: async (app) => {
    await newAvatar(app);
    const path = `/users/${app.people.ada.id}/avatar`;
    return { answer: await ask(app, 'delete', path), leaves: 'user.avatar.delete' };
  },

  listPermissionGroups: async (app) => {
    await makeGroup(app, {});
    return read(app, '/permission-groups');
  },
  createPermissionGroup: async (app) => ({
    answer: await ask(app, 'post', '/permission-groups').send({ name: 'new', permission: 'READ' }),
    leaves: 'group.create',
  }),
  getPermissionGroup: async (app) => read(app, groupPath(await makeGroup(app, {}))),
  updatePermissionGroup: async (app) => {
    const path = groupPath(await makeGroup(app, {}));
    return { answer: await ask(app, 'put', path).send({ name: 'changed' }), leaves: 'group.update' };
  },
  deletePermissionGroup: async (app) => ({
    answer: await ask(app, 'delete', groupPath(await makeGroup(app, {}))),
    leaves: 'group.delete',
  }),
  listGroupMembers: async (app) => read(app, `${groupPath(await makeGroup(app, {}))}/members`),
  setGroupMembers: async (app) => {
    const path = `${groupPath(await makeGroup(app, {}))}/members`;
    return { answer: await ask(app, 'put', path).send({ userIds: [] }), leaves: 'group.member.set' };
  },
  addGroupMember: async (app) => {
    const path = `${groupPath(await makeGroup(app, {}))}/members/${app.people.ben.id}`;
    return { answer: await ask(app, 'post', path), leaves: 'group.member.add' };
  },
  removeGroupMember: async (app) => {
    const group = await makeGroup(app, { userIds: [app.people.ben.id] });
    const path = `${groupPath(group)}/members/${app.people.ben.id}`;
    return { answer: await ask(app, 'delete', path), leaves: 'group.member.remove' };
  },
});

const groupPath = ({ id }: { readonly id: string }) => `/permission-groups/${id}`;

async function newAvatar(app: TestApp) {
  const bytes = await picture('png', 8, 8);
  return ask(app, 'post', `/users/${app.people.ada.id}/avatar`).attach('avatar', bytes, 'ada.png');
}

async function newSession(app: TestApp) {
  const user = await addUser(app);
  return { ...(await signIn(app, user)), password: user.password };
}

function newToken(app: TestApp, writing: Readonly<Record<string, string>>) {
  return app.request.post('/api-tokens').set(writing).send({ name: 'new', scope: 'READ', renewable: true });
}
