import { ok, type SomeHandlers } from '../../http/handlers.js';
import { challengeSetupView } from './challenge-setup-view.js';
import { type ChallengeSetupDeps, showChallengeSetup } from './show-challenge-setup.service.js';

export function challengeSetupHandlers(deps: ChallengeSetupDeps) {
  return {
    getChallengeSetup: async ({ context, params }) =>
      ok(challengeSetupView(await showChallengeSetup(deps, context, params))),
  } satisfies SomeHandlers;
}
