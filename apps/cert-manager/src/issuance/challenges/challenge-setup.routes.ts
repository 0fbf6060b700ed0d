import type { SomeHandlers } from '../../http/some-handlers.js';
import { challengeSetupView } from './challenge-setup-view.js';
import { type ChallengeSetupDeps, showChallengeSetup } from './show-challenge-setup.service.js';

export function challengeSetupHandlers(deps: ChallengeSetupDeps) {
  return {
    getChallengeSetup: async ({ context, params }) => ({
      status: 200,
      body: challengeSetupView(await showChallengeSetup(deps, context, params)),
    }),
  } satisfies SomeHandlers;
}
