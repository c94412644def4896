import type { RequestListener } from "node:http"
import { expressPages, type TrustProxy } from "@parley/adapters-http"
import { dashboardRouter, type DashboardOptions } from "@parley/dashboard"

/** The dashboard's page and files. */
export const dashboardPages = (options: DashboardOptions, trustProxy: TrustProxy | undefined): RequestListener =>
  expressPages(dashboardRouter(options), trustProxy)
