export { dashboardRouter, type DashboardOptions } from "./dashboardRouter.ts"
