import type { RequestListener } from "node:http"
import { pageListener } from "@parley/adapters-http"
import { dashboardRouter, type DashboardOptions, notFoundPage } from "@parley/dashboard"

/** Serves the dashboard's page and files, and at every unknown address the dashboard's own page for that case. */
export const dashboardPages = (options: DashboardOptions): RequestListener => {
  const pages = dashboardRouter(options)
  const notFound = notFoundPage(options)
  return pageListener((request, response, next) =>
    pages(request, response, (error) => (error === undefined ? notFound(request, response, next) : next(error)))
  )
}
