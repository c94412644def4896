import { createHash } from "node:crypto"

/** The operator's brand, which replaces Parley's. */
export interface DashboardBranding {
  readonly name?: string | undefined
  /** The logo: a square SVG or PNG, as a `data:` URL in base64. */
  readonly logo?: string | undefined
  /**
   * The colours of the brand, each as `#rrggbb`; `brandColours` of `@parley/core/reading` derives them from an accent
   * colour.
   */
  readonly colours?:
    | {
        readonly fill: string
        readonly fillHovered: string
        readonly lightText: string
        readonly lightSoft: string
        readonly darkText: string
        readonly darkSoft: string
      }
    | undefined
}

/** A file that the server makes from its settings. */
export interface BrandFile {
  readonly type: string
  readonly body: Buffer
  readonly etag: string
  /** The content security policy of the file; undefined if the page's policy applies. */
  readonly policy: string | undefined
}

const STYLES = "brand.css"
const LOGO = /^data:(image\/(?:png|svg\+xml));base64,(.+)$/
/** The policy of the logo's file: if a browser opens it as a page, nothing in it runs or is loaded. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const file = (type: string, content: string | Buffer, policy?: string): BrandFile => {
  const body = Buffer.from(content)
  return { type, body, policy, etag: `"${createHash("sha256").update(body).digest("base64url")}"` }
}

/** The files of a brand by name; empty for Parley's own brand. */
export const brandFiles = ({ colours, logo }: DashboardBranding): ReadonlyMap<string, BrandFile> => {
  const files = new Map<string, BrandFile>()
  if (colours !== undefined) files.set(STYLES, file("text/css; charset=utf-8", stylesOf(colours)))
  const picture = pictureOf(logo)
  if (picture !== undefined) files.set(picture.name, file(picture.type, picture.bytes, LOGO_POLICY))
  return files
}

const pictureOf = (logo: string | undefined) => {
  const [, type = "", bytes] = LOGO.exec(logo ?? "") ?? []
  if (bytes === undefined) return undefined
  return { type, name: `brand-logo.${type === "image/png" ? "png" : "svg"}`, bytes: Buffer.from(bytes, "base64") }
}

/**
 * The application's page with the operator's name, logo and colours, which are therefore shown from the first paint on.
 */
export const brandPage = (html: string, { colours, logo, name }: DashboardBranding): BrandFile => {
  const picture = pictureOf(logo)
  const changes: ReadonlyArray<readonly [from: string, to: string | undefined]> = [
    ["<title>Parley</title>", name && `<title>${escaped(name)}</title>${nameTag(name)}`],
    ["<noscript>Parley ", name && `<noscript>${escaped(name)} `],
    ['href="/favicon.svg"', picture && `href="/${picture.name}"`],
    // The brand's styles come after the application's own, which they override.
    ["</head>", colours && `<link rel="stylesheet" href="/${STYLES}" /></head>`]
  ]
  const branded = changes.reduce((text, [from, to]) => (to === undefined ? text : text.replace(from, () => to)), html)
  return file("text/html; charset=utf-8", branded)
}

/** The meta element from which the application reads the operator's name (`app/brand/brandOf.ts`). */
const nameTag = (name: string): string => `<meta name="application-name" content="${escaped(name)}" />`

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A selector as specific as the theme's own rules for light and dark. */
const ROOT = ":root[data-mantine-color-scheme]"

const stylesOf = (colours: NonNullable<DashboardBranding["colours"]>): string => `${ROOT} {
  --accent: ${colours.lightText};
  --accent-soft: ${colours.lightSoft};
  --mantine-color-brand-7: ${colours.fill};
  --mantine-color-brand-8: ${colours.fillHovered};
  --mantine-color-brand-text: var(--accent);
  --mantine-color-brand-outline: var(--accent);
  --mantine-color-brand-outline-hover: var(--accent-soft);
  --mantine-color-brand-light: var(--accent-soft);
  --mantine-color-brand-light-hover: var(--ground-hover);
  --mantine-color-brand-light-color: var(--accent);
  --mantine-color-anchor: var(--accent);
}
${ROOT}[data-mantine-color-scheme="dark"] {
  --accent: ${colours.darkText};
  --accent-soft: ${colours.darkSoft};
}
`
