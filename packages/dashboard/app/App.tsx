import { MantineProvider } from "@mantine/core"
import { ParleyProvider } from "@parley/react"
import { QueryClientProvider } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { BrowserRouter, Route, Routes } from "react-router"
import { PAGE_PATHS } from "../src/pagePaths.ts"
import { parley } from "./api/parley.ts"
import { makeQueryClient } from "./api/queryClient.ts"
import { ConversationsProvider } from "./chat/ConversationsProvider.tsx"
import { MessagesProvider, type MessagesProviderProps } from "./messages/MessagesProvider.tsx"
import { lazyPart } from "./parts/lazyPart.ts"
import { SignedIn } from "./session/SignedIn.tsx"
import { CrashBoundary } from "./shell/CrashBoundary.tsx"
import { Loading } from "./shell/Loading.tsx"
import { Shell } from "./shell/Shell.tsx"
import { theme } from "./theme/theme.ts"

const SharedChatPage = lazyPart(async () => (await import("./sharing/SharedChatPage.tsx")).SharedChatPage)

/**
 * The application. The theme's CSS variables come from a file of the build, so that Mantine adds no style elements to
 * the page.
 */
export const App = ({ initial }: Pick<MessagesProviderProps, "initial">) => {
  const [queryClient] = useState(makeQueryClient)
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
      deduplicateCssVariables={false}
    >
      <MessagesProvider initial={initial}>
        <CrashBoundary isWholePage>
          <QueryClientProvider client={queryClient}>
            <ParleyProvider client={parley} queryClient={queryClient}>
              <BrowserRouter>
                <Routes>
                  <Route
                    path={PAGE_PATHS.sharedChat}
                    element={
                      <Suspense fallback={<Loading />}>
                        <SharedChatPage />
                      </Suspense>
                    }
                  />
                  <Route path="*" element={<OwnPages />} />
                </Routes>
              </BrowserRouter>
            </ParleyProvider>
          </QueryClientProvider>
        </CrashBoundary>
      </MessagesProvider>
    </MantineProvider>
  )
}

/** The pages for a signed-in person. */
const OwnPages = () => (
  <SignedIn>
    <ConversationsProvider>
      <Shell />
    </ConversationsProvider>
  </SignedIn>
)
