import { SIGN_IN_LANGUAGES, type SignInLanguage } from "@parley/core/effect"

/** The names of the problems that the sign-in page shows, as in the query of its address. */
export const SIGN_IN_PROBLEMS = ["email", "limited", "code", "blocked"] as const
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number]

/** The texts of the sign-in page in one language. */
export interface SignInTexts {
  readonly title: string
  readonly intro: string
  readonly email: string
  readonly send: string
  readonly sent: string
  readonly code: string
  readonly codeHint: string
  readonly signIn: string
  readonly confirm: string
  readonly elsewhere: string
  readonly elsewhereAgain: string
  readonly again: string
  readonly problems: Readonly<Record<SignInProblem, string>>
}

export const signInTexts: Readonly<Record<SignInLanguage, SignInTexts>> = {
  en: {
    title: "Sign in",
    intro: "Enter your e-mail address. You get a mail with a link and a code.",
    email: "E-mail address",
    send: "Send the mail",
    sent: "A mail is on its way. Open its link in this browser, or type its code here. Both work for ten minutes.",
    code: "Code from the mail",
    codeHint: "Eight letters and digits, for example K7QM-4TXP. If you asked several times, use the newest mail.",
    signIn: "Sign in",
    confirm: "Continue to sign in with the code from the mail.",
    elsewhere: "You asked for the mail in another browser. Type this code there:",
    elsewhereAgain: "To sign in here instead, ask for a new mail.",
    again: "Ask for a new mail",
    problems: {
      email: "That is not an e-mail address. Check it, and try again.",
      limited: "There were too many tries. Wait ten minutes, and try again.",
      code: "This code does not work: it is wrong, was used, or is too old. Use the newest mail, or ask for another one.",
      blocked: "Your access has been blocked. Contact the operator of this service."
    }
  },
  de: {
    title: "Anmelden",
    intro: "Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten eine Mail mit einem Link und einem Code.",
    email: "E-Mail-Adresse",
    send: "Mail senden",
    sent: "Eine Mail ist unterwegs. Öffnen Sie ihren Link in diesem Browser, oder geben Sie ihren Code hier ein. Beide gelten zehn Minuten.",
    code: "Code aus der Mail",
    codeHint:
      "Acht Buchstaben und Ziffern, zum Beispiel K7QM-4TXP. Wenn Sie mehrere Mails angefordert haben, nehmen Sie die neueste.",
    signIn: "Anmelden",
    confirm: "Melden Sie sich mit dem Code aus der Mail an.",
    elsewhere: "Sie haben die Mail in einem anderen Browser angefordert. Geben Sie diesen Code dort ein:",
    elsewhereAgain: "Um sich stattdessen hier anzumelden, fordern Sie eine neue Mail an.",
    again: "Neue Mail anfordern",
    problems: {
      email: "Das ist keine E-Mail-Adresse. Prüfen Sie sie, und versuchen Sie es noch einmal.",
      limited: "Das waren zu viele Versuche. Warten Sie zehn Minuten, und versuchen Sie es noch einmal.",
      code: "Dieser Code gilt nicht: Er ist falsch, schon benutzt oder zu alt. Nehmen Sie die neueste Mail, oder fordern Sie eine andere an.",
      blocked: "Ihr Zugang ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes."
    }
  }
}

/** The first language in an Accept-Language header (RFC 9110, 12.5.4) in which the page exists; otherwise English. */
export const languageOf = (accepted: string | undefined): SignInLanguage => {
  const wanted = (accepted ?? "")
    .slice(0, 1_000)
    .split(",")
    .map((each) => {
      const [tag = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase())
      const quality = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1)
      return { language: tag.split("-")[0], quality }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const { language } of wanted) {
    const known = SIGN_IN_LANGUAGES.find((each) => each === language)
    if (known !== undefined) return known
  }
  return "en"
}
