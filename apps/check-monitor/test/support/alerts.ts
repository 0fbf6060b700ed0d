import { hangMs } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { AppConfig } from '../../src/app-options.js';
import { type Channel, findChannel } from '../../src/channels/channels.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import { publicServices } from '../../src/integrations/sender-accounts.js';
import { listNotifications } from '../../src/notifications/delivery-lists.repository.js';
import type { Notification } from '../../src/notifications/notifications.repository.js';
import { type Answer, began, type Holder, openTestApp, type TestApp } from './app.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { type Recorder, startRecorder } from './recorder.js';

/** The service with a target, a mail server and a project whose checks fail on demand. */
export interface AlertStage {
  readonly app: TestApp;
  readonly target: Recorder;
  readonly mailbox: MailServer;
  readonly ada: Holder;
  channel(kind: ChannelKind, settings: object, isVerified?: boolean): Promise<Channel>;
  webhook(path?: string): Promise<Channel>;
  read(channel: Pick<Channel, 'uuid'>): Promise<Channel>;
  /** Alerts of a channel, the oldest first. */
  log(channel: Channel): Promise<Notification[]>;
  /** A check of all integrations, or of those named, that has just failed. */
  fail(name?: string, channels?: string): Promise<Answer['body']>;
  /** Answers each request with this status. */
  answer(status: number, headers?: Record<string, string>): void;
}

/** Opens the stage for the tests of a suite; channels are gone after each. */
export function openAlertStage(
  open: OpenTestDatabase,
  overrides: Partial<AppConfig> = {},
  timeoutMs = hangMs,
): AlertStage {
  const stage = {} as { -readonly [Part in keyof AlertStage]: AlertStage[Part] };
  beforeAll(async () => {
    [stage.target, stage.mailbox] = [await startRecorder(), await startMailServer()];
    const smtp = { url: stage.mailbox.url, from: 'alerts@monitor.example' };
    const senderAccounts = { smtp, telegramToken: '1:a' };
    const services = { ...publicServices, telegram: stage.target.url };
    stage.app = await openTestApp(open, overrides, { timeoutMs, services, senderAccounts });
  });
  beforeEach(async () => {
    stage.app.clock.set(began);
    stage.ada = await stage.app.newProject({ checkLimit: 1000 });
  });
  afterEach(async () => {
    stage.target.reset();
    stage.mailbox.reset();
    await stage.app.database.transaction((tx) => executeSql(tx, 'delete from channels'));
  });
  afterAll(async () => {
    await stage.app.close();
    await stage.target.close();
    await stage.mailbox.close();
  });
  stage.read = async ({ uuid }) => {
    const found = await stage.app.database.read((tx) => findChannel(tx, uuid));
    if (found === undefined) throw new Error('the channel is gone');
    return found;
  };
  stage.channel = async (kind, settings, isVerified = true) => {
    const wanted = { projectId: stage.ada.keys.projectId, kind, name: kind, settings, isVerified };
    return stage.read({ uuid: await createChannel(stage.app.accounts, wanted) });
  };
  stage.webhook = (path = '/hook') => {
    const call = { method: 'POST', url: stage.target.url + path, body: '$NAME $STATUS $NOW' };
    return stage.channel('webhook', { down: call, up: call });
  };
  stage.log = async ({ id }) => {
    const rows = await stage.app.database.read((tx) => listNotifications(tx, id, 1000));
    return rows.filter(({ aboutChannelId }) => aboutChannelId === null).toReversed();
  };
  stage.fail = async (name = 'Backup', channels = '*') => {
    const check = await stage.ada.check({ name, channels });
    await stage.ada.ping(check, '/fail');
    await stage.app.tick();
    return check;
  };
  stage.answer = (status, headers = {}) =>
    stage.target.answer((response) => response.writeHead(status, headers).end());
  return stage;
}
