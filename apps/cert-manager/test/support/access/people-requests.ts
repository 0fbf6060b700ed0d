import { addToken, addUser } from '../factories.js';
import { unknownId } from '../inventory.js';
import { picture } from '../pictures.js';
import { makeGroup } from './groups.js';
import { type Ask, type Asking, askingAs, newName } from './matrix.js';

/** Requests about sessions, tokens, users and groups. */
export const peopleRequests: Readonly<Record<string, Ask>> = {
  getAuthState: ({ send }) => send('get', '/auth/state'),
  login: ({ send, person: { username, password } }) =>
    send('post', '/auth/login').send({ username, password }),
  bootstrap: ({ send }) =>
    send('post', '/auth/bootstrap').send({
      token: 'x',
      username: 'first',
      email: 'first@example.org',
      password: 'correct horse',
    }),
  logout: async (asking) => (await asking.inSession())('post', '/auth/logout'),
  listSessions: async (asking) => (await asking.inSession())('get', '/auth/sessions'),
  'listSessions/token': ({ send }) => send('get', '/auth/sessions'),
  deleteSession: async (asking) => {
    const send = await asking.inSession();
    const { body } = await send('get', '/auth/sessions');
    return send('delete', `/auth/sessions/${body[0]?.id ?? unknownId}`);
  },
  'deleteSession/unknown': async (asking) =>
    (await asking.inSession())('delete', `/auth/sessions/${unknownId}`),
  'logout/token': ({ send }) => send('post', '/auth/logout'),
  getMe: ({ send }) => send('get', '/auth/me'),
  // to the same one, so that they can sign in again
  changePassword: async (asking) => {
    const { password } = asking.person;
    const send = await asking.inSession();
    return send('post', '/auth/password').send({ currentPassword: password, newPassword: password });
  },
  'changePassword/token': ({ send, person: { password } }) =>
    send('post', '/auth/password').send({ currentPassword: password, newPassword: 'battery staple' }),
  listApiTokens: async (asking) => (await asking.inSession())('get', '/api-tokens'),
  'listApiTokens/token': ({ send }) => send('get', '/api-tokens'),
  createApiToken: async (asking) => newToken(await asking.inSession()),
  'createApiToken/token': ({ send }) => newToken(send),
  deleteApiToken: async (asking) => {
    const send = await asking.inSession();
    const { body } = await newToken(send);
    return send('delete', `/api-tokens/${body.id ?? 'abcdefgh'}`);
  },
  'deleteApiToken/token': ({ send, person }) => send('delete', `/api-tokens/${person.token.slice(4, 12)}`),
  'deleteApiToken/other': async (asking) => {
    const { token } = asking.app.people.ben;
    return (await asking.inSession())('delete', `/api-tokens/${token.slice(4, 12)}`);
  },
  succeedApiToken: (asking) => byNewToken(asking, 'post', '/api-tokens/self/successor'),
  'succeedApiToken/session': async (asking) =>
    (await asking.inSession())('post', '/api-tokens/self/successor'),
  deleteOwnApiToken: (asking) => byNewToken(asking, 'delete', '/api-tokens/self'),
  'deleteOwnApiToken/session': async (asking) => (await asking.inSession())('delete', '/api-tokens/self'),
  listUserApiTokens: ({ app, send }) => send('get', `/users/${app.people.ben.id}/api-tokens`),
  'listUserApiTokens/own': ({ send, person }) => send('get', `/users/${person.id}/api-tokens`),
  'listUserApiTokens/unknown': ({ send }) => send('get', `/users/${unknownId}/api-tokens`),
  deleteUserApiToken: async ({ app, send }) => {
    const token = await addToken(app, app.people.ben.id);
    return send('delete', `/users/${app.people.ben.id}/api-tokens/${token.slice(4, 12)}`);
  },
  'deleteUserApiToken/own': async ({ app, send, person }) => {
    const token = await addToken(app, person.id);
    return send('delete', `/users/${person.id}/api-tokens/${token.slice(4, 12)}`);
  },
  'deleteUserApiToken/unknown': ({ app, send }) =>
    send('delete', `/users/${app.people.ben.id}/api-tokens/abcdefgh`),

  listUsers: ({ send }) => send('get', '/users'),
  createUser: ({ send }) => {
    const username = newName();
    return send('post', '/users').send({ username, email: `a@${username}`, password: 'correct horse' });
  },
  getUser: async ({ app, send }) => send('get', `/users/${app.people.ben.id}`),
  'getUser/own': ({ send, person }) => send('get', `/users/${person.id}`),
  'getUser/unknown': ({ send }) => send('get', `/users/${unknownId}`),
  updateUser: async ({ app, send }) =>
    send('put', `/users/${(await addUser(app)).id}`).send({ enabled: false }),
  'updateUser/own': ({ send, person }) => send('put', `/users/${person.id}`).send({ email: person.email }),
  deleteUser: async ({ app, send }) => send('delete', `/users/${(await addUser(app)).id}`),
  'deleteUser/own': ({ send, person }) => send('delete', `/users/${person.id}`),
  getAvatar: async (asking) => {
    await uploadAs(askingAs(asking.app, asking.cast, 'A'), asking.app.people.ben.id);
    return asking.send('get', `/users/${asking.app.people.ben.id}/avatar`);
  },
  'getAvatar/unknown': ({ send }) => send('get', `/users/${unknownId}/avatar`),
  uploadAvatar: async (asking) => uploadAs(asking, (await addUser(asking.app)).id),
  'uploadAvatar/own': async (asking) => uploadAs(asking, asking.person.id),
  'uploadAvatar/unknown': async (asking) => uploadAs(asking, unknownId),
  deleteAvatar: async (asking) => {
    const { id } = await addUser(asking.app);
    await uploadAs(askingAs(asking.app, asking.cast, 'A'), id);
    return asking.send('delete', `/users/${id}/avatar`);
  },
  'deleteAvatar/own': async (asking) => {
    const { id } = asking.person;
    await uploadAs(askingAs(asking.app, asking.cast, 'A'), id);
    return asking.send('delete', `/users/${id}/avatar`);
  },
  'deleteAvatar/unknown': ({ send }) => send('delete', `/users/${unknownId}/avatar`),
  getUserPermissions: ({ app, send }) => send('get', `/users/${app.people.ben.id}/permissions`),
  'getUserPermissions/unknown': ({ send }) => send('get', `/users/${unknownId}/permissions`),
  getOwnPermissions: ({ send }) => send('get', '/user/permissions'),

  listPermissionGroups: ({ send }) => send('get', '/permission-groups'),
  createPermissionGroup: ({ send }) =>
    send('post', '/permission-groups').send({ name: 'new', permission: 'READ' }),
  getPermissionGroup: async (asking) => asking.send('get', await newGroup(asking)),
  updatePermissionGroup: async (asking) =>
    asking.send('put', await newGroup(asking)).send({ name: 'changed' }),
  deletePermissionGroup: async (asking) => asking.send('delete', await newGroup(asking)),
  listGroupMembers: async (asking) => asking.send('get', `${await newGroup(asking)}/members`),
  setGroupMembers: async (asking) =>
    asking.send('put', `${await newGroup(asking)}/members`).send({ userIds: [asking.person.id] }),
  addGroupMember: async (asking) =>
    asking.send('post', `${await newGroup(asking)}/members/${asking.person.id}`),
  removeGroupMember: async (asking) =>
    asking.send('delete', `${await newGroup(asking)}/members/${asking.app.people.ben.id}`),
};

function newToken(send: Asking['send']) {
  return send('post', '/api-tokens').send({ name: 'new', scope: 'READ' });
}

/** A request with a renewable READ token of the person, made in their session. */
async function byNewToken(asking: Asking, method: 'post' | 'delete', path: string) {
  const send = await asking.inSession();
  const { body } = await send('post', '/api-tokens').send({ name: 'new', scope: 'READ', renewable: true });
  const authorization = asking.kind === 'anonymous' ? {} : { Authorization: `Bearer ${body.token}` };
  return asking.app.request[method](path).set(authorization);
}

async function newGroup({ app }: Asking): Promise<string> {
  return `/permission-groups/${(await makeGroup(app, { userIds: [app.people.ben.id] })).id}`;
}

async function uploadAs({ send }: Asking, userId: string) {
  return send('post', `/users/${userId}/avatar`).attach('avatar', await picture('png', 4, 4), 'a.png');
}
