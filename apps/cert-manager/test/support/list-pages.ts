import type { Response } from 'supertest';
import type { TestApp } from './app.js';
import type { Person } from './people.js';

/** Rows of a list, page by page from `path` on, and the total that each page gave. */
export async function readPages<Row>(app: TestApp, path: string, person: Person = app.people.ada) {
  const pages: { readonly rows: readonly Row[]; readonly total: string }[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers }: Response = await app.request.get(next).set(person.auth).expect(200);
    pages.push({ rows: body as Row[], total: String(headers['x-total-count']) });
    next = /^<([^>]+)>; rel="next"$/.exec(String(headers['link']))?.[1];
  }
  return { pages, rows: pages.flatMap(({ rows }) => rows), totals: new Set(pages.map(({ total }) => total)) };
}
