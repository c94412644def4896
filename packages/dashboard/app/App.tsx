import { MantineProvider } from "@mantine/core"
import { QueryClientProvider } from "@tanstack/react-query"
import { useState } from "react"
import { BrowserRouter } from "react-router"
import { makeQueryClient } from "./api/queryClient.ts"
import { ConversationsProvider } from "./chat/ConversationsProvider.tsx"
import { MessagesProvider, type MessagesProviderProps } from "./messages/MessagesProvider.tsx"
import { SignedIn } from "./session/SignedIn.tsx"
import { CrashBoundary } from "./shell/CrashBoundary.tsx"
import { Shell } from "./shell/Shell.tsx"
import { theme } from "./theme/theme.ts"

/** The application. The theme's variables are a file of the build, so that Mantine writes no styles into the page. */
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
            <BrowserRouter>
              <SignedIn>
                <ConversationsProvider>
                  <Shell />
                </ConversationsProvider>
              </SignedIn>
            </BrowserRouter>
          </QueryClientProvider>
        </CrashBoundary>
      </MessagesProvider>
    </MantineProvider>
  )
}
