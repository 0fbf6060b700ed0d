/** Part of the help of the program about the environment and exit codes. */
export const environment = `Environment variables, which override a context:
  CERTLOOP_URL, CERTLOOP_TOKEN                address of cert-manager, and an API token of yours
  CERTLOOP_MONITOR_URL, CERTLOOP_MONITOR_KEY  address of check-monitor, and a project's read-write key
  CERTLOOP_MONITOR_EMAIL                      your account there, for projects and integrations
  CERTLOOP_CA_URL                             address of dummy-ca
  CERTLOOP_CREDENTIALS                        file with all of these, such as data/credentials.json of npm start
  CERTLOOP_CONTEXT                            the context to use, as --context
  CERTLOOP_HOME                               a built checkout, for admin
  CERTLOOP_SPACE, CERTLOOP_PROJECT            default of --space and --project

Exit codes: 0 done, 1 refused or failed, 2 not understood, 3 nothing changed (--exit-code).
`;
