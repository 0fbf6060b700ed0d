import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type FrontPlace, openFrontPlace, type Upstream, upstreams } from '../support/front/front-place.js';
import { haproxyTools } from '../support/front/haproxy-tool.js';
import { libraryTools } from '../support/front/library-tools.js';
import { movingStories, pageStories } from '../support/front/page-stories.js';
import { serverTools } from '../support/front/server-tools.js';
import { playShellTool, shellTools } from '../support/front/shell-tools.js';
import type { Story } from '../support/front/story.js';
import { isPebbleThere } from '../support/pebble-process.js';

/** File for the rows of the table of `npm run acme-clients`, which runs all clients behind all CAs. */
const table = process.env['CERTLOOP_ACME_CLIENTS_TABLE'];

const ofShell = shellTools.map((tool) => ({
  label: tool.label,
  shows: `orders, renews by ${tool.renewsBy === 'ari' ? 'renewal information' : 'its own date'}, revokes`,
  isThere: tool.isThere,
  play: (place: FrontPlace) => playShellTool(tool, place),
}));

/** The stories behind a CA; in the gate, the commands of the page and a client that reads renewal information. */
function storiesOf(upstream: Upstream): readonly Story[] {
  const isShort = table === undefined;
  if (isShort && upstream !== 'dummy-ca') return [];
  if (isShort) return [...pageStories, ...ofShell.filter(({ label }) => label === 'lego of today')];
  const clients = [...ofShell, ...serverTools, ...haproxyTools, ...libraryTools];
  if (upstream === 'dummy-ca') return [...pageStories, ...movingStories, ...clients];
  return clients.filter(({ needsBackdate }: Story) => needsBackdate !== true);
}

async function playAndNote({ label, shows, play }: Story, place: FrontPlace, upstream: Upstream) {
  const note = (outcome: string) => {
    if (table !== undefined) appendFileSync(table, `| ${label} | ${shows} | ${upstream} | ${outcome} |\n`);
  };
  try {
    await play(place);
    note('yes');
  } catch (error) {
    note('no');
    throw error;
  }
}

describe.each(upstreams.filter((upstream) => storiesOf(upstream).length > 0))(
  'with certificates of %s',
  (upstream) => {
    const isCaThere = upstream !== 'pebble' || isPebbleThere;
    const stories = storiesOf(upstream).filter(({ isThere }) => isThere && isCaThere);
    let place: FrontPlace;
    beforeAll(async () => {
      if (stories.length > 0) place = await openFrontPlace(upstream);
    });
    afterAll(() => place?.close());

    test.skipIf(stories.length > 0)('no ACME client is there', () => undefined);
    for (const story of stories)
      test(`${story.label}: ${story.shows}`, () => playAndNote(story, place, upstream));
  },
);
