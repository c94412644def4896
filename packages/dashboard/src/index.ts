export { dashboardRouter, type DashboardOptions, notFoundPage, type PageHandler } from "./dashboardRouter.ts"
