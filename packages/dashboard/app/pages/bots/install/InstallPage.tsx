import type { Bot } from "@parley/client"
import classes from "./Install.module.css"
import { KeysSection } from "./KeysSection.tsx"
import { SnippetSection } from "./SnippetSection.tsx"

/** How the bot comes to a site: the lines to paste, and the keys in them. */
export const InstallPage = ({ bot }: { readonly bot: Bot }) => (
  <div className={classes.page}>
    <SnippetSection bot={bot} />
    <KeysSection bot={bot} />
  </div>
)
