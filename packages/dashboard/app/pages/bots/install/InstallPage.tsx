import type { Bot } from "@parley/client"
import classes from "./Install.module.css"
import { KeysSection } from "./KeysSection.tsx"
import { SitesSection } from "./SitesSection.tsx"
import { SnippetSection } from "./SnippetSection.tsx"

/**
 * The page for installing a bot on a site: the lines to paste, the sites that load the widget, and the public keys in
 * the lines.
 */
export const InstallPage = ({ bot }: { readonly bot: Bot }) => (
  <div className={classes.page}>
    <SnippetSection bot={bot} />
    <SitesSection bot={bot} />
    <KeysSection bot={bot} />
  </div>
)
