/** A page of all shared components with their states, for development: `npm run dev:dashboard -- --gallery`. */
import "@mantine/core/styles.css"
import "../app/theme/variables.css"
import "../app/theme/tokens.css"
import "../app/theme/base.css"
import "../app/theme/shapes.css"
import { MantineProvider } from "@mantine/core"
import { ParleyProvider } from "@parley/react"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { createRoot } from "react-dom/client"
import { BrowserRouter } from "react-router"
import { documentsQuery } from "../app/api/documents.ts"
import { parley } from "../app/api/parley.ts"
import { loadCatalogue } from "../app/messages/loadCatalogue.ts"
import { MessagesProvider } from "../app/messages/MessagesProvider.tsx"
import { theme } from "../app/theme/theme.ts"
import { Gallery } from "./Gallery.tsx"

const start = async (place: HTMLElement): Promise<void> => {
  const catalogue = await loadCatalogue("en")
  // No server is there, and none is asked.
  const queryClient = new QueryClient({ defaultOptions: { queries: { enabled: false, staleTime: Infinity } } })
  queryClient.setQueryData(documentsQuery.queryKey, [])
  createRoot(place).render(
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <MessagesProvider initial={{ language: "en", catalogue }}>
        <QueryClientProvider client={queryClient}>
          <ParleyProvider client={parley} queryClient={queryClient}>
            <BrowserRouter>
              <Gallery />
            </BrowserRouter>
          </ParleyProvider>
        </QueryClientProvider>
      </MessagesProvider>
    </MantineProvider>
  )
}

const place = document.getElementById("app")
if (place !== null) void start(place)
