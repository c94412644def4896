import type { Mail } from "../mail/Mailer.ts"

/** The languages of mails and pages. */
export const SIGN_IN_LANGUAGES = ["en", "de"] as const
export type SignInLanguage = (typeof SIGN_IN_LANGUAGES)[number]

interface MailTexts {
  readonly subject: (code: string, name: string) => string
  readonly open: string
  readonly button: string
  readonly or: string
  readonly validity: (host: string) => string
  readonly ignore: string
}

const TEXTS: Readonly<Record<SignInLanguage, MailTexts>> = {
  en: {
    subject: (code, name) => `${code} is your code for ${name}`,
    open: "Open this link in the browser in which you asked for it:",
    button: "Sign in",
    or: "Or type this code there:",
    validity: (host) =>
      `Link and code work once, for ten minutes. Type the code on ${host} only, and tell it to no other person.`,
    ignore: "If you did not ask for this mail, ignore it: without the code no person signs in."
  },
  de: {
    subject: (code, name) => `${code} ist Ihr Code für ${name}`,
    open: "Öffnen Sie diesen Link in dem Browser, in dem Sie ihn angefordert haben:",
    button: "Anmelden",
    or: "Oder geben Sie dort diesen Code ein:",
    validity: (host) =>
      `Link und Code gelten einmal, zehn Minuten lang. Geben Sie den Code nur auf ${host} ein, und nennen Sie ihn keiner anderen Person.`,
    ignore: "Wenn Sie diese Mail nicht angefordert haben, ignorieren Sie sie: Ohne den Code meldet sich niemand an."
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

export interface SignInMailInput {
  readonly to: string
  readonly code: string
  /** The absolute address of the sign-in page, from the server's configuration. */
  readonly page: string
  readonly language: SignInLanguage
  /** The name of the product, if the operator gave it one. */
  readonly brand: string | undefined
}

/** The mail of a sign-in. Apart from the address, it contains no text from the person who requested it. */
export const signInMail = ({ brand, code, language, page, to }: SignInMailInput): Mail => {
  const { button, ignore, open, or, subject, validity } = TEXTS[language]
  const { host } = new URL(page)
  const link = `${page}?code=${code}`
  const paragraphs = [validity(host), ignore]
  return {
    to,
    subject: subject(code, brand ?? host),
    text: [open, link, `${or} ${code}`, ...paragraphs].join("\n\n") + "\n",
    html: [
      `<!doctype html><html lang="${language}"><body style="font-family:sans-serif;line-height:1.5">`,
      `<p>${escaped(open)}</p><p><a href="${escaped(link)}">${escaped(button)}</a></p>`,
      `<p>${escaped(or)}</p><p style="font-size:1.5em"><strong>${code}</strong></p>`,
      ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
      "</body></html>"
    ].join("\n")
  }
}
