import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { AppConfig } from '../../src/app-options.js';
import { began, type DeliveryOptions, type Holder, openTestApp, type TestApp } from './app.js';

/** What a test finds in place: the service, and two strangers each with a project. */
export interface Stage {
  readonly app: TestApp;
  readonly ada: Holder;
  readonly ben: Holder;
}

/** Describes a behaviour on each database; every test gets new projects and the clock at its beginning. */
export function describeMonitor(
  name: string,
  suite: (stage: Stage) => void,
  overrides: Partial<AppConfig> = {},
  delivery: DeliveryOptions = {},
): void {
  describeEachDialect(name, (open) => {
    const stage = {} as { app: TestApp; ada: Holder; ben: Holder };
    beforeAll(async () => {
      stage.app = await openTestApp(open, overrides, delivery);
    });
    beforeEach(async () => {
      stage.app.clock.set(began);
      stage.ada = await stage.app.newProject();
      stage.ben = await stage.app.newProject();
    });
    afterAll(() => stage.app.close());
    suite(stage);
  });
}
