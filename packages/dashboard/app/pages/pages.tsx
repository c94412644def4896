import { type ComponentType } from "react"
import { PAGE_PATHS } from "../../src/pagePaths.ts"
import type { MessageKey } from "../messages/catalogue.ts"
import type { IconName } from "../theme/Icon.tsx"
import { ChatPage } from "./chat/ChatPage.tsx"
import { lazyPart } from "../parts/lazyPart.ts"

/** A page of the application. */
export interface PageEntry {
  /** Paths from `PAGE_PATHS`, at which the server sends the application. */
  readonly paths: ReadonlyArray<string>
  readonly Component: ComponentType
  /** The entry in the navigation. Pages without one are reached from other pages. */
  readonly navigation?: { readonly label: MessageKey; readonly icon: IconName; readonly isForOperators?: true }
}

/**
 * Every page, in the order of the navigation. To add a page, add one row: a path of `PAGE_PATHS`, a component that is
 * loaded at first use, and for the navigation a label and an icon.
 */
export const PAGES: ReadonlyArray<PageEntry> = [
  { paths: [PAGE_PATHS.newChat, PAGE_PATHS.chat], Component: ChatPage },
  {
    paths: [PAGE_PATHS.projects, PAGE_PATHS.project],
    Component: lazyPart(async () => (await import("./projects/ProjectsPage.tsx")).ProjectsPage),
    navigation: { label: "nav.projects", icon: "folder" }
  },
  {
    paths: [PAGE_PATHS.documents, PAGE_PATHS.document],
    Component: lazyPart(async () => (await import("./documents/DocumentsPage.tsx")).DocumentsPage),
    navigation: { label: "nav.documents", icon: "file" }
  },
  {
    paths: [
      PAGE_PATHS.bots,
      PAGE_PATHS.newBot,
      PAGE_PATHS.bot,
      PAGE_PATHS.botInstall,
      PAGE_PATHS.botReport,
      PAGE_PATHS.botConversations,
      PAGE_PATHS.botConversation
    ],
    Component: lazyPart(async () => (await import("./bots/BotsPage.tsx")).BotsPage),
    navigation: { label: "nav.bots", icon: "bot" }
  },
  {
    paths: [PAGE_PATHS.foundBot],
    Component: lazyPart(async () => (await import("./bots/BotsPage.tsx")).FoundBotPage)
  },
  {
    paths: [PAGE_PATHS.usage],
    Component: lazyPart(async () => (await import("./usage/UsagePage.tsx")).UsagePage),
    navigation: { label: "nav.usage", icon: "chart" }
  },
  {
    paths: [PAGE_PATHS.billing],
    Component: lazyPart(async () => (await import("./billing/BillingPage.tsx")).BillingPage),
    navigation: { label: "nav.billing", icon: "card" }
  },
  {
    paths: [PAGE_PATHS.settings],
    Component: lazyPart(async () => (await import("./settings/SettingsPage.tsx")).SettingsPage),
    navigation: { label: "nav.settings", icon: "settings" }
  },
  {
    paths: [
      PAGE_PATHS.admin,
      PAGE_PATHS.adminPeople,
      PAGE_PATHS.adminPerson,
      PAGE_PATHS.adminMoney,
      PAGE_PATHS.adminDocuments,
      PAGE_PATHS.adminHealth,
      PAGE_PATHS.adminAudit
    ],
    Component: lazyPart(async () => (await import("./admin/AdminPage.tsx")).AdminPage),
    navigation: { label: "nav.admin", icon: "shield", isForOperators: true }
  }
]
