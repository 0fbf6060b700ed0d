import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { latePage } from './late-page.js';
import { recoverPart } from './missing-parts.browser.js';

/** A page that is loaded when it is opened first, and again after that has failed. */
export function lazyPage<Part extends object, Name extends keyof Part>(
  load: () => Promise<Part>,
  name: Name,
) {
  const loadPage = async (): Promise<ComponentType> => {
    // the type of the page would need that of the router, which needs this one
    const part: object = await load();
    return Reflect.get(part, name);
  };
  return lazyRouteComponent(async (): Promise<{ readonly page: ComponentType }> => {
    try {
      return { page: await loadPage() };
    } catch (error) {
      const reason = recoverPart(error);
      // with something typed the page shown stays, and the next try loads the part again
      if (reason === undefined) throw error;
      return { page: latePage(loadPage, reason) };
    }
  }, 'page');
}
