import type { PermissionGroup } from '@certloop/contracts';
import type { TestApp } from '../app.js';
import type { Person } from '../people.js';

/** A request by someone with a JSON body, given as a value or as the text that is sent. */
export function sendJson(
  app: TestApp,
  method: 'post' | 'put',
  path: string,
  body: unknown,
  person: Person = app.people.ada,
) {
  return app.request[method](path)
    .set(person.auth)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Makes a group as the administrator, through the API. */
export async function makeGroup(app: TestApp, group: object): Promise<PermissionGroup> {
  const { body } = await sendJson(app, 'post', '/permission-groups', {
    name: 'group',
    permission: 'READ',
    ...group,
  }).expect(201);
  return body as PermissionGroup;
}

/** Changes a group as the administrator, through the API. */
export async function changeGroup(app: TestApp, { id }: PermissionGroup, change: object) {
  const { body } = await sendJson(app, 'put', `/permission-groups/${id}`, change).expect(200);
  return body as PermissionGroup;
}

/** The group as the administrator sees it. */
export async function readGroup(app: TestApp, { id }: Pick<PermissionGroup, 'id'>) {
  const { body } = await app.request.get(`/permission-groups/${id}`).set(app.people.ada.auth).expect(200);
  return body as PermissionGroup;
}

/** Bodies that no endpoint with a JSON object takes. */
export const malformedBodies: readonly [string, unknown][] = [
  ['no body', ''],
  ['an array', []],
  ['a text', '"name"'],
  ['null', 'null'],
  ['a number', '1'],
  ['broken JSON', '{"name":'],
  ['a body nested too deep', `{"name":"x","deep":${'['.repeat(30)}${']'.repeat(30)}}`],
];
