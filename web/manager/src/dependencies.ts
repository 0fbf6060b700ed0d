// what looks at all names changes with each of them, with what renews them and with who issues
const overview = ['/spaces', '/renewal-queue', '/providers'];

/** Paths that replies of an operation depend on, beside the path of the operation itself. */
export const dependencies = {
  listAllFqdns: overview,
  countFqdnStates: overview,
  getExpiryTimeline: overview,
  getOutlook: overview,
  getPublicReadiness: overview,
  getInventory: overview,
  listRenewals: ['/spaces'],
  listIssuanceJobs: ['/spaces'],
  // who is in which group decides what a user may read
  listSpaces: ['/permission-groups', '/users'],
  listUsers: ['/permission-groups'],
  getUser: ['/permission-groups'],
  listPermissionGroups: ['/users'],
  getPermissionGroup: ['/users'],
  listUserApiTokens: ['/api-tokens'],
} as const;
