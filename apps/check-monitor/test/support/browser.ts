import type supertest from 'supertest';
import { setPassword } from '../../src/accounts/passwords.service.js';
import { createUser } from '../../src/projects/create-user.service.js';
import { passwords } from './app.js';
import type { Stage } from './suite.js';

export const origin = 'https://monitor.example';
export const password = 'correct horse battery';
let people = 0;

/** A user in a browser on our own page. */
export class Browser {
  readonly #stage: Stage;
  readonly email: string;
  cookie = '';
  csrfToken = '';

  constructor(stage: Stage, email: string) {
    this.#stage = stage;
    this.email = email;
  }

  login(secret = password): supertest.Test {
    return this.#stage.app.http
      .post('/api/account/login')
      .set('Origin', origin)
      .send({ email: this.email, password: secret });
  }

  async signIn(): Promise<this> {
    const answer = await this.login().expect(200);
    this.cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
    this.csrfToken = answer.body.csrfToken;
    return this;
  }

  get(path: string): supertest.Test {
    return this.#stage.app.http.get(`/api/account${path}`).set('Cookie', this.cookie);
  }

  send(method: 'post' | 'put' | 'delete', path: string, body: object = {}): supertest.Test {
    const request = this.#stage.app.http[method](`/api/account${path}`);
    const known = request.set('Cookie', this.cookie).set('X-CSRF-Token', this.csrfToken);
    return known.set('Sec-Fetch-Site', 'same-origin').send(body);
  }
}

/** A new user with a password, signed in. */
export async function newPerson(stage: Stage): Promise<Browser> {
  people += 1;
  const email = `user${people}@example.org`;
  await createUser(stage.app.accounts, { email, checkLimit: null, pingLimit: 50 });
  await setPassword({ ...stage.app.accounts, passwords }, email, password);
  return new Browser(stage, email).signIn();
}

/** Makes a project and returns its id. */
export async function newProject(owner: Browser): Promise<string> {
  return (await owner.send('post', '/projects', { name: 'Jobs' }).expect(201)).body.id;
}
