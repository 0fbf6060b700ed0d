import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { AwayPage, GonePage } from './failed-page.js';
import { recoverPart } from './missing-parts.browser.js';

/** A page that is loaded when it is opened first. */
export function lazyPage<Part extends object, Name extends keyof Part>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazyRouteComponent(async (): Promise<{ readonly page: ComponentType }> => {
    try {
      // the type of the page would need that of the router, which needs this one
      const part: object = await load();
      return { page: Reflect.get(part, name) };
    } catch (error) {
      return { page: (await recoverPart(error)) === 'away' ? AwayPage : GonePage };
    }
  }, 'page');
}
