/**
 * The name and logo of the product: Parley's, or the operator's, which the server writes into the page
 * (`src/brandFiles.ts`).
 */
export const brandOf = () => {
  const name = document.querySelector<HTMLMetaElement>("meta[name=application-name]")?.content
  const logo = document.querySelector("link[rel=icon]")?.getAttribute("href") ?? OWN_LOGO
  return { name: name ?? "Parley", logo, isOwn: name === undefined && logo === OWN_LOGO }
}

const OWN_LOGO = "/favicon.svg"
