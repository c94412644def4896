export { dashboardRouter, type DashboardOptions, notFoundPage } from "./dashboardRouter.ts"
