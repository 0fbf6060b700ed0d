import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { challengeSetupView } from './challenge-setup-view.js';
import { type ChallengeSetupDeps, showChallengeSetup } from './show-challenge-setup.service.js';

export function challengeSetupHandlers(
  deps: ChallengeSetupDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'getChallengeSetup'> {
  return {
    getChallengeSetup: async ({ context, params }) => ({
      status: 200,
      body: challengeSetupView(await showChallengeSetup(deps, context, params)),
    }),
  };
}
