/** The kinds of software with which sites are made. */
export const PLATFORMS = ["html", "wordpress", "shopify", "webflow", "react"] as const
export type Platform = (typeof PLATFORMS)[number]

export interface Snippet {
  /** The language in whose colours the lines are shown. */
  readonly language: "html" | "php" | "tsx"
  readonly text: string
}

/** The lines that put a bot on a site. `origin` is the widget's origin, without a slash at its end. */
export const snippetOf = (platform: Platform, publicKey: string, origin: string): Snippet => {
  const tag = `<script async src="${origin}/widget.js" data-public-key="${publicKey}"></script>`
  if (platform === "wordpress") {
    return { language: "php", text: `add_action( 'wp_footer', function () {\n  echo '${tag}';\n} );` }
  }
  if (platform === "react") {
    const component = `<ParleyWidget baseUrl="${origin}" publicKey="${publicKey}" />`
    return {
      language: "tsx",
      text: `import { ParleyWidget } from "@parley/widget/react"\n\nexport const Chat = () => ${component}`
    }
  }
  return { language: "html", text: tag }
}
