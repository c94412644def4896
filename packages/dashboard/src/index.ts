export type { DashboardBranding } from "./brandFiles.ts"
export { dashboardRouter, type DashboardOptions, notFoundPage, type PageHandler } from "./dashboardRouter.ts"
