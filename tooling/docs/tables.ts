import { clientTypes } from "./clientTypes.ts"
import { commandsPage } from "./commandTable.ts"
import { configurationPage } from "./configurationTable.ts"
import { errorsPage } from "./errorTable.ts"
import { metricsPage } from "./metricTable.ts"
import { routesPage } from "./routeTable.ts"

/** The committed files that are generated from the sources, with their present content. */
export const tables = async (): Promise<ReadonlyArray<{ readonly path: string; readonly text: string }>> => [
  { path: "docs/reference/commands.md", text: await commandsPage() },
  { path: "docs/reference/configuration.md", text: configurationPage() },
  { path: "docs/reference/errors.md", text: errorsPage() },
  { path: "docs/reference/http.md", text: routesPage() },
  { path: "docs/reference/metrics.md", text: metricsPage() },
  ...[...clientTypes()].map(([path, text]) => ({ path: `packages/client/src/${path}`, text }))
]
