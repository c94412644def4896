import type { RequestListener } from "node:http"
import { expressPages, type TrustProxy } from "@parley/adapters-http"
import { dashboardRouter, type DashboardOptions, notFoundPage } from "@parley/dashboard"

/** The dashboard's page and files, and its page for browsers at every address that nothing has. */
export const dashboardPages = (options: DashboardOptions, trustProxy: TrustProxy | undefined): RequestListener =>
  expressPages(dashboardRouter(options).use(notFoundPage(options)), trustProxy)
