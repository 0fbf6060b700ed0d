export { requestMutants, sendMutants } from './testing/request-mutants.js';
export { sampleRequests } from './testing/sample-requests.js';
