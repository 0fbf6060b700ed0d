// What every form of a console must survive without losing what was typed.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** A form of a console, and how a person uses it. */
export interface FormRow {
  /** Its place in the sources, as `formsIn` names it. */
  readonly source: string;
  /** Opens it, from the page at its path. */
  readonly open: (page: Page) => Promise<unknown>;
  /** Title of its dialog, or name of its region; the whole page if absent. */
  readonly within?: { readonly dialog?: string | RegExp; readonly region?: string };
  /** Typed or chosen values, by the labels of the fields. */
  readonly typed: Readonly<Record<string, string>>;
  /** Label of the field at which the service refuses the value, and the text that is typed there in its place. */
  readonly mended?: readonly [label: string, text: string];
  /** Text of the button that sends it. */
  readonly send: string | RegExp;
  /** Waits for what a person sees when it is stored. */
  readonly done: (page: Page, form: Locator) => Promise<unknown>;
}

/** Parts of its console that a table of forms needs. */
export interface FormStage {
  readonly page: Page;
  /** Another tab of the browser, at any page of the service. */
  readonly tab: Page;
  readonly account: Account;
  readonly password: string;
  /** A page of the console that no form opens: its path, and how the name of its part begins. */
  readonly unopened: { readonly path: string; readonly part: string };
  /** Ends all sessions at the service, as time does. */
  endSessions(): void;
}

/** How the user of a form signs in and out. */
export interface Account {
  /** Name of the channel between the tabs. */
  readonly channel: string;
  /** Begins the paths of `login`, `logout` and `me`. */
  readonly path: string;
  /** Body of a sign-in. */
  readonly credentials: object;
}

/**
 * Places of all forms that send what was typed in a console whose built folder this is, as file and number: its own,
 * those that ask for a name before something is deleted, and the one of the password.
 */
export function formsIn(consoleFolder: string): readonly string[] {
  const sources = join(consoleFolder, '../src');
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .toSorted()
    .flatMap((name) => {
      const found = readFileSync(join(sources, name), 'utf8').match(
        /<(?:form|SendForm|PasswordCard)\b|\btypeFirst=/g,
      );
      return (found ?? []).map((_, place) => `${name} ${place + 1}`);
    });
}

/**
 * Uses a form as its row says, while the part of another page is gone, the connection is lost, the session ends and
 * another tab signs out. Fails where something typed is lost, or the service's refusal is not at its field.
 */
export async function assertLosesNothing(stage: FormStage, row: FormRow): Promise<void> {
  const { page } = stage;
  await row.open(page);
  const form = placeOf(page, row);
  await typeAfterDeployment(stage, () => typeInto(form, row.typed));
  const button = form.getByRole('button', { name: row.send, exact: true });
  const send = () => button.and(page.locator(':enabled')).click();
  await button.and(page.locator(':enabled')).waitFor();
  await loseConnection(stage, row, send);
  await assertTyped(form, row);
  stage.endSessions();
  // a poll may be faster, and its dialog stands over the button then
  await button.dispatchEvent('click');
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await ended.waitFor();
  await inTab(stage, 'signed-in');
  await ended.waitFor({ state: 'detached' });
  await inTab(stage, 'signed-out');
  await signInAgain(stage, 'You signed out in another tab');
  await leave(page);
  await assertTyped(form, row);
  if (row.mended !== undefined) {
    await send();
    const [label, text] = row.mended;
    const field = form.getByLabel(label, { exact: true });
    await field.and(page.locator('[aria-invalid=true]')).waitFor();
    await field.fill(text);
  }
  await send();
  await row.done(page, form);
}

function placeOf(page: Page, { within: { dialog, region } = {} }: FormRow): Locator {
  if (dialog !== undefined) return page.getByRole('dialog', { name: dialog });
  return region === undefined ? page.getByRole('main') : page.getByRole('region', { name: region });
}

/** Members of a field that are read in the page. */
interface Field {
  readonly tagName: string;
  readonly value: string;
  readonly labels?: readonly { readonly firstChild: { readonly textContent: string | null } | null }[];
  readonly selectedOptions?: readonly { readonly label: string }[];
}

interface Fields {
  querySelectorAll(selector: string): Iterable<Field>;
}

/** Kind and shown text of each field, by its label. */
function readFields(form: Locator): Promise<Readonly<Record<string, { tag: string; text: string }>>> {
  return form.evaluate((element: Fields) =>
    Object.fromEntries(
      [...element.querySelectorAll('input, select, textarea')].map((field) => [
        field.labels?.[0]?.firstChild?.textContent?.trim() ?? '',
        { tag: field.tagName, text: field.selectedOptions?.[0]?.label ?? field.value },
      ]),
    ),
  );
}

async function typeInto(form: Locator, typed: FormRow['typed']): Promise<void> {
  let shown = await readFields(form);
  for (const [label, text] of Object.entries(typed)) {
    // a choice brings other fields
    if (!(label in shown)) shown = await readFields(form);
    const field = form.getByLabel(label, { exact: true });
    await (shown[label]?.tag === 'SELECT' ? field.selectOption(text) : field.fill(text));
  }
}

async function assertTyped(form: Locator, { source, typed }: FormRow): Promise<void> {
  const shown = await readFields(form);
  const texts = Object.keys(typed).map((label) => [label, shown[label]?.text]);
  assert.deepEqual(Object.fromEntries(texts), typed, source);
}

async function loseConnection({ page }: FormStage, row: FormRow, send: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true);
  await send();
  await placeOf(page, row)
    .getByText(/The service does not answer.* Try again in a moment/)
    .first()
    .waitFor();
  await page.context().setOffline(false);
}

async function signInAgain({ page, password }: FormStage, title: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Signs in or out in the other tab as its console does, and notifies the tabs. */
async function inTab({ tab, account }: FormStage, message: 'signed-in' | 'signed-out'): Promise<void> {
  const { channel, path, credentials } = account;
  const send = `(path, token, body) => fetch('${path}' + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { 'x-csrf-token': token }) },
    body: JSON.stringify(body),
  })`;
  const write =
    message === 'signed-in'
      ? `await send('login', undefined, ${JSON.stringify(credentials)})`
      : `await send('logout', (await (await fetch('${path}me')).json()).csrfToken, {})`;
  const status = await tab.evaluate(`(async () => {
    const send = ${send};
    const { status } = ${write};
    new BroadcastChannel('${channel}').postMessage('${message}');
    return status;
  })()`);
  assert.ok(Number(status) < 300, `${message} in another tab: ${String(status)}`);
}

/** Types while another page is on its way, whose part is not in the new build of the console. */
async function typeAfterDeployment({ page, unopened }: FormStage, type: () => Promise<void>): Promise<void> {
  let answer = () => {};
  const typed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(
    (url) => url.pathname.includes(`/assets/${unopened.part}-`),
    async (route) => {
      await typed;
      await route.continue({ url: route.request().url().replace(unopened.part, 'gone') });
    },
    { times: 1 },
  );
  const shown = new URL(page.url()).pathname;
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(unopened.path)})`);
  await type();
  answer();
  const dialog = page.getByRole('dialog', { name: 'That page cannot be opened now' });
  await dialog.getByRole('button', { name: 'Stay on the page' }).click();
  assert.equal(new URL(page.url()).pathname, shown);
}

/** Leaves for another page, and stays when the console asks. */
async function leave(page: Page): Promise<void> {
  // the links are behind the dialog, but Back and keys lead away as well
  await page.evaluate("document.querySelector('#navigation a:not([aria-current])').click()");
  await page.getByRole('button', { name: 'Stay on the page' }).click();
}
