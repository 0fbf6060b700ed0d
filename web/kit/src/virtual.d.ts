declare module 'virtual:certloop/cert-manager' {
  export const contract: typeof import('@certloop/contracts').certManagerContract;
}

declare module 'virtual:certloop/check-monitor' {
  export const contract: typeof import('@certloop/contracts').checkMonitorContract;
}

declare module 'virtual:certloop/check-monitor-account' {
  export const contract: typeof import('@certloop/contracts').accountContract;
}
