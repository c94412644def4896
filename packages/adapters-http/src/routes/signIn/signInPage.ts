import { createHash } from "node:crypto"
import type { SignInLanguage } from "@parley/core/effect"
import { type Response, type ResponseHeaders, wholeBytes } from "../../exchange/Exchange.ts"
import { type SignInProblem, type SignInTexts, signInTexts } from "./signInTexts.ts"

/** The operator's name, logo and accent colour. The page shows no brand of Parley itself. */
export interface SignInBrand {
  readonly name?: string | undefined
  readonly logo?: string | undefined
  readonly accent?: string | undefined
}

const ACCENT = "#1c5fb8"

const styleOf = ({ accent = ACCENT }: SignInBrand): string => `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; padding: 4rem 1rem }
main { max-width: 24rem; margin: 0 auto }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input { margin: .25rem 0 .5rem; padding: .6rem; border: 1px solid #757575; border-radius: .4rem }
button { margin: 1rem 0; padding: .6rem; border: 0; border-radius: .4rem; background: ${accent}; color: #fff; cursor: pointer }
.hint { font-size: .875rem }
.problem { border-left: 4px solid #c92a2a; padding-left: .75rem }
.code { font-size: 1.75rem; font-weight: 600; letter-spacing: .05em }
.brand { display: flex; align-items: center; gap: .625rem; font-weight: 600; overflow-wrap: anywhere }
.brand img { width: 2.75rem; height: 2.75rem; object-fit: contain }
`

/**
 * The page's policy: no scripts, no files except the logo in the page, and only this style. The browser sends forms and
 * reports to this server only.
 */
const policyOf = (path: string, style: string, { logo }: SignInBrand): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    ...(logo === undefined ? [] : ["img-src data:"]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `report-uri ${path.replace(/\/sign-in$/, "/csp-reports")}`
  ].join("; ")

/**
 * The page's address may contain a code, so no cache stores the page, and no other site gets its address as a referrer.
 */
const HEADERS: ResponseHeaders = {
  "content-type": "text/html; charset=utf-8",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  vary: "accept-language, cookie"
}

/** The forms that the page shows. */
export type SignInView =
  | { readonly _tag: "email" }
  | { readonly _tag: "code" }
  /** The link of the mail was opened in the browser that asked for the mail. */
  | { readonly _tag: "link"; readonly code: string }
  /** The link of the mail was opened in another browser. */
  | { readonly _tag: "elsewhere"; readonly code: string }

const emailForm = (path: string, { email, send }: SignInTexts): string => `
<form method="post" action="${path}">
<label for="email">${email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
<button type="submit">${send}</button>
</form>`

const codeForm = (path: string, { code, codeHint, signIn }: SignInTexts): string => `
<form method="post" action="${path}/code">
<label for="code">${code}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20"
  aria-describedby="hint" required>
<p id="hint" class="hint">${codeHint}</p>
<button type="submit">${signIn}</button>
</form>`

/**
 * Opening the link changes nothing, because programs that check mails also open links: a person confirms with a button.
 */
const linkForm = (path: string, code: string, { confirm, signIn }: SignInTexts): string => `
<p>${confirm}</p>
<form method="post" action="${path}/code">
<input type="hidden" name="code" value="${code}">
<button type="submit">${signIn}</button>
</form>`

const contentOf = (view: SignInView, path: string, texts: SignInTexts): string => {
  const again = `<p><a href="${path}">${texts.again}</a></p>`
  switch (view._tag) {
    case "email":
      return `<p>${texts.intro}</p>${emailForm(path, texts)}`
    case "code":
      return `<p role="status">${texts.sent}</p>${codeForm(path, texts)}${again}`
    case "link":
      return linkForm(path, view.code, texts) + again
    case "elsewhere":
      return `<p>${texts.elsewhere}</p><p class="code">${view.code}</p><p>${texts.elsewhereAgain}</p>${emailForm(path, texts)}`
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const brandOf = ({ logo, name }: SignInBrand): string => {
  const parts = [logo && `<img src="${escaped(logo)}" alt="">`, name && `<span>${escaped(name)}</span>`]
  const shown = parts.filter((part) => part !== undefined)
  return shown.length === 0 ? "" : `<p class="brand">${shown.join("")}</p>\n`
}

export interface SignInPageInput {
  readonly view: SignInView
  readonly problem: SignInProblem | undefined
  readonly language: SignInLanguage
  /** The path of the routes as people see it. It comes from the server's settings, not from the request. */
  readonly path: string
  readonly brand: SignInBrand
}

/**
 * Makes the page, which works without scripts. All texts come from the server or its settings, so they are safe in
 * HTML; a code contains only letters, digits and a hyphen.
 */
export const signInPage = ({ brand, language, path, problem, view }: SignInPageInput): Response => {
  const texts = signInTexts[language]
  const style = styleOf(brand)
  const title = brand.name === undefined ? texts.title : `${texts.title} · ${escaped(brand.name)}`
  const alert = problem === undefined ? "" : `<p class="problem" role="alert">${texts.problems[problem]}</p>`
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${brandOf(brand)}<h1>${texts.title}</h1>
${alert}${contentOf(view, path, texts)}
</main>
</body>
</html>
`
  return wholeBytes(Buffer.from(html), { ...HEADERS, "content-security-policy": policyOf(path, style, brand) })
}
