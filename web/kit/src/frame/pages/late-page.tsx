import { type ComponentType, useEffect, useState } from 'react';
import { Waiting } from '../../parts/page-parts.js';
import { UnloadedPage } from './failed-page.js';
import { type MissingReason, recoverPart } from './missing-parts.browser.js';

/** Why a page could not be loaded; undefined where the user was asked about what they typed. */
type Failure = Promise<MissingReason> | undefined;

/** Stands in the place of a page that could not be loaded, and loads it when it is opened again. */
export function latePage(load: () => Promise<ComponentType>, first: Failure): ComponentType {
  let page: ComponentType | undefined;
  let failure = first;
  const open = async () => {
    try {
      page = await load();
      return undefined;
    } catch (error) {
      return recoverPart(error);
    }
  };
  return function LatePage() {
    const [reason, setReason] = useState<MissingReason>();
    const [Page, setPage] = useState<ComponentType | undefined>(() => page);
    useEffect(() => {
      let isShown = true;
      const end = (found: MissingReason | undefined) => {
        if (!isShown) return;
        setReason(found);
        setPage(() => page);
      };
      if (page === undefined) void (failure ?? open()).then(end);
      return () => {
        isShown = false;
        failure = undefined;
      };
    }, []);
    if (Page !== undefined) return <Page />;
    return reason === undefined ? <Waiting /> : <UnloadedPage reason={reason} />;
  };
}
