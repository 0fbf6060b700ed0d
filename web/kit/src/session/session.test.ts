import { describe, expect, test } from 'vitest';
import { refusalFrom } from '../service/refusal.js';
import { Session } from './session.js';
import type { Me, TabMessage } from './session-state.js';

const refused = (status: number) => refusalFrom(status, new Headers(), '');
const anna: Me = { user: { id: 'anna' }, csrfToken: 't-1' };

/** A browser with tabs at a service that answers what the test puts into `answer`. */
function openBrowser() {
  const service = {
    answer: anna as Me | Error,
    closes: undefined as Error | undefined,
    asked: [] as boolean[],
  };
  const listeners: ((message: TabMessage) => void)[] = [];
  const openTab = () => {
    const own = listeners.length;
    return new Session<Me>(
      {
        readMe: async (isBackground) => {
          service.asked.push(isBackground);
          if (service.answer instanceof Error) throw service.answer;
          return { body: service.answer };
        },
        closeSession: async () => {
          if (service.closes !== undefined) throw service.closes;
        },
        now: () => 0,
      },
      {
        send: (message) => {
          for (const [tab, listener] of listeners.entries()) if (tab !== own) listener(message);
        },
        listen: (listener) => listeners.push(listener),
      },
    );
  };
  return { service, openTab };
}

/** Until what a message to another tab has begun is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a page that opens', () => {
  test.each([
    ['with a session, is in', anna, { phase: 'in', me: anna }],
    ['without one, is out', refused(401), { phase: 'out' }],
  ])('%s', async (_, answer, state) => {
    const { service, openTab } = openBrowser();
    service.answer = answer;
    const tab = openTab();
    expect(tab.state()).toEqual({ phase: 'unknown' });
    await tab.check(false);
    expect(tab.state()).toMatchObject(state);
  });

  test('does not treat a failing service as an ended session', async () => {
    const { service, openTab } = openBrowser();
    service.answer = refused(503);
    const tab = openTab();
    await tab.check(false);
    expect(tab.state()).toMatchObject({ phase: 'unknown', error: { answered: 503 } });
    service.answer = anna;
    await tab.check(false);
    expect(tab.state()).toMatchObject({ phase: 'in' });
  });
});

describe('a page that is signed in', () => {
  async function openSignedIn() {
    const browser = openBrowser();
    const [tab, other] = [browser.openTab(), browser.openTab()];
    await Promise.all([tab.check(false), other.check(false)]);
    return { ...browser, tab, other };
  }

  test('stays signed in while the service is away', async () => {
    const { service, tab } = await openSignedIn();
    service.answer = refused(502);
    await tab.check(true);
    expect(tab.state()).toMatchObject({ phase: 'in' });
  });

  test('still shows its data when the session has ended, and continues after the next sign-in', async () => {
    const { service, tab } = await openSignedIn();
    service.answer = refused(401);
    await tab.check(true);
    expect(tab.state()).toEqual({ phase: 'ended', me: anna, reason: 'idle' });
    service.answer = { ...anna, csrfToken: 't-2' };
    await tab.opened();
    expect(tab.state()).toMatchObject({ phase: 'in' });
    expect(tab.csrfToken()).toBe('t-2');
  });

  test('checks once after several rejections, and continues if they belong to an older session', async () => {
    const { service, tab } = await openSignedIn();
    service.asked.length = 0;
    expect(await Promise.all([tab.refused(), tab.refused()])).toEqual([true, true]);
    expect(tab.state()).toMatchObject({ phase: 'in' });
    expect(service.asked).toEqual([true]);
    service.answer = refused(401);
    expect(await tab.refused()).toBe(false);
    expect(tab.state()).toEqual({ phase: 'ended', me: anna, reason: 'idle' });
  });

  test('is rendered once for several rejections after the session has ended', async () => {
    const { service, tab } = await openSignedIn();
    service.answer = refused(401);
    await tab.refused();
    const ended = tab.state();
    expect(await tab.refused()).toBe(false);
    expect(tab.state()).toBe(ended);
  });

  test('still knows the other user when a request of the older session is rejected late', async () => {
    const { service, tab } = await openSignedIn();
    const ben: Me = { user: { id: 'ben' }, csrfToken: 't-3' };
    service.answer = ben;
    await tab.check(true);
    expect(await tab.refused()).toBe(false);
    expect(tab.state()).toEqual({ phase: 'ended', me: anna, reason: 'other-user', other: ben });
    service.answer = refused(401);
    await tab.refused();
    expect(tab.state()).toEqual({ phase: 'ended', me: anna, reason: 'idle' });
  });

  test('signs out in every tab', async () => {
    const { tab, other } = await openSignedIn();
    await tab.close();
    expect(tab.state()).toEqual({ phase: 'out' });
    expect(other.state()).toMatchObject({ phase: 'ended', reason: 'elsewhere' });
  });

  test('reports that another tab signed out, even if its own request was rejected before', async () => {
    const { tab, other } = await openSignedIn();
    other.end('idle');
    await tab.close();
    expect(other.state()).toEqual({ phase: 'ended', me: anna, reason: 'elsewhere' });
  });

  test('signs out if the session has already ended, but not if the service fails', async () => {
    const { service, tab, other } = await openSignedIn();
    service.closes = refused(500);
    await expect(tab.close()).rejects.toThrow();
    expect(other.state()).toMatchObject({ phase: 'in' });
    service.closes = refused(401);
    await tab.close();
    expect(tab.state()).toEqual({ phase: 'out' });
  });

  test('follows a sign-in of another tab', async () => {
    const { service, tab, other } = await openSignedIn();
    await tab.close();
    service.answer = { ...anna, csrfToken: 't-3' };
    await tab.opened();
    await settled();
    expect(other.state()).toMatchObject({ phase: 'in', me: { csrfToken: 't-3' } });
    expect(service.asked).toEqual([false, false, false, false]);
  });

  test('still shows its data while another tab belongs to another user, and shares no token', async () => {
    const { service, tab, other } = await openSignedIn();
    await tab.close();
    const ben: Me = { user: { id: 'ben' }, csrfToken: 't-3' };
    service.answer = ben;
    await tab.opened();
    await settled();
    expect(tab.state()).toMatchObject({ phase: 'in', me: ben });
    const waiting = { phase: 'ended', me: anna, reason: 'other-user', other: ben };
    expect(other.state()).toEqual(waiting);
    await expect(other.check(true)).resolves.toBeUndefined();
    expect(other.csrfToken()).toBe('t-1');
    await tab.close();
    expect(other.state()).toEqual({ phase: 'ended', me: anna, reason: 'idle' });
    service.answer = anna;
    await other.opened();
    expect(other.state()).toMatchObject({ phase: 'in', me: anna });
  });

  test('detects another user also without a message from the other tab', async () => {
    const { service, tab } = await openSignedIn();
    service.answer = { user: { id: 'ben' } };
    await tab.check(true);
    expect(tab.state()).toMatchObject({ phase: 'ended', reason: 'other-user' });
  });

  test('belongs to any user who signs in on the page itself', async () => {
    const { service, tab } = await openSignedIn();
    tab.end('idle');
    service.answer = { user: { id: 'ben' } };
    await tab.opened();
    expect(tab.state()).toMatchObject({ phase: 'in', me: { user: { id: 'ben' } } });
  });
});
