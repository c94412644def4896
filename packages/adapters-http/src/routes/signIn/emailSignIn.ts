import { SessionIssuedAt } from "@parley/core/adapter"
import { Branding, CODE_LIFETIME_MS, CreditService, EmailSignIn, shownCode } from "@parley/core/effect"
import { Clock, Effect, Option, Result } from "effect"
import { signInAccess, type SigningIn } from "../../access/signInAccess.ts"
import { formBody } from "../../body/formBody.ts"
import { type Context, empty, publicPathOf, type ResponseHeaders } from "../../exchange/Exchange.ts"
import { candidateTokens, MOST_CANDIDATES, setSessionCookie } from "../../sessions/cookies.ts"
import type { OwnSessions } from "../../sessions/ownSessions.ts"
import { clearSignInCookie, setSignInCookie } from "../../sessions/signInCookie.ts"
import { endSession } from "../endSession.ts"
import { type Parameter, textParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { signInPage, type SignInView } from "./signInPage.ts"
import { languageOf, SIGN_IN_PROBLEMS, type SignInProblem } from "./signInTexts.ts"

const PAGE = "/sign-in"
const CODE_PAGE = "?step=code"

/**
 * A query parameter with a fixed list of values. Another value is ignored, not refused, because a link to the page may
 * have been changed on its way.
 */
const chosenParameter = <const Choice extends string>(
  description: string,
  choices: ReadonlyArray<Choice>
): Parameter<Choice | undefined> => ({
  description,
  jsonSchema: { type: "string", enum: choices },
  decode: (text) => Result.succeed(choices.find((choice) => choice === text))
})

const codeParameter: Parameter<string | undefined> = {
  description: "The code of a mail, which its link contains.",
  jsonSchema: { type: "string" },
  decode: (text) => Result.succeed(text === undefined ? undefined : shownCode(text))
}

const languageParameter = textParameter("The languages that the person reads; the page has English and German.")

const SIGN_IN_COOKIE = { "set-cookie": "The secret of the browser, for ten minutes; httpOnly." }

const viewOf = ({ browser }: SigningIn, code: string | undefined, step: "code" | undefined): SignInView => {
  if (code !== undefined) return browser === undefined ? { _tag: "elsewhere", code } : { _tag: "link", code }
  return step === "code" && browser !== undefined ? { _tag: "code" } : { _tag: "email" }
}

/** Redirects the browser to another page, so that reloading that page does not send the form again. */
const leadTo = (context: Context, path: string, headers: ResponseHeaders = {}) =>
  empty({ "cache-control": "no-store", ...headers, location: `${publicPathOf(context)}${path}` }, 303)

const problemAt = (context: Context, step: "" | typeof CODE_PAGE, problem: SignInProblem) =>
  Effect.succeed(leadTo(context, `${PAGE}${step}${step === "" ? "?" : "&"}problem=${problem}`))

/** The sign-in page. */
export const getSignIn = defineRoute({
  method: "GET",
  path: PAGE,
  summary: "Returns the page on which people sign in by e-mail",
  access: signInAccess,
  queryParameters: {
    code: codeParameter,
    step: chosenParameter("The form to show: that of the code.", ["code"]),
    problem: chosenParameter("The problem to show.", SIGN_IN_PROBLEMS)
  },
  headerParameters: { "accept-language": languageParameter },
  responses: { 200: { description: "The page.", contentType: "text/html" } },
  errors: [],
  handle: ({ caller, context, headers, query: { code, problem, step } }) =>
    Effect.map(Branding, (brand) =>
      signInPage({
        brand,
        view: viewOf(caller, code, step),
        problem,
        language: languageOf(headers["accept-language"]),
        path: `${publicPathOf(context)}${PAGE}`
      })
    )
})

/** Sends a mail with a code for signing in. */
export const postSignIn = defineRoute({
  method: "POST",
  path: PAGE,
  summary: "Sends a mail with a link and a code; the response is the same for every address",
  access: signInAccess,
  headerParameters: { "accept-language": languageParameter },
  body: formBody("email", "The form of the page."),
  responses: {
    303: { description: "To the page.", headers: { ...SIGN_IN_COOKIE, location: "The page." } }
  },
  errors: ["storage_unavailable"],
  handle: ({ body, caller: { address, page }, context, headers }) =>
    EmailSignIn.use((signIn) =>
      signIn.ask({ email: body, address, language: languageOf(headers["accept-language"]), page: page.href })
    ).pipe(
      Effect.map((secret) =>
        leadTo(context, PAGE + CODE_PAGE, {
          "set-cookie": setSignInCookie(
            context.server.sessionCookie,
            secret,
            CODE_LIFETIME_MS / 1000,
            publicPathOf(context)
          )
        })
      ),
      Effect.catchTags({
        InvalidMailAddress: () => problemAt(context, "", "email"),
        SignInLimited: () => problemAt(context, "", "limited")
      })
    )
})

/** Ends the sessions in the browser's cookies, because the new session replaces them. */
const endEarlierSessions = Effect.fnUntraced(function* ({ verifier }: OwnSessions, { request, server }: Context) {
  const tokens = candidateTokens(request.headers.cookie, server.sessionCookie)
  for (const token of tokens.slice(0, MOST_CANDIDATES)) {
    // A token that is refused proves no session that could be ended.
    const earlier = yield* Effect.option(verifier.verify(token))
    if (Option.isSome(earlier)) yield* endSession({ token, expiresAt: earlier.value.expiresAt })
  }
})

const signIn = Effect.fnUntraced(function* (
  { address, browser = "", sessions }: SigningIn,
  code: string,
  context: Context
) {
  const startedAt = yield* Clock.currentTimeMillis
  const person = yield* EmailSignIn.use((service) => service.confirm({ browser, code, address }))
  // The account is opened at the first sign-in, unless the person was erased since the code was redeemed.
  yield* CreditService.use((credits) => credits.balance(person.userId)).pipe(
    Effect.provideService(SessionIssuedAt, startedAt)
  )
  yield* endEarlierSessions(sessions, context)
  const { lifetimeSeconds: maxAgeSeconds, token } = yield* sessions.issue(person)
  const { sessionCookie } = context.server
  const path = publicPathOf(context)
  return leadTo(context, "/", {
    "set-cookie": [
      setSessionCookie(sessionCookie, { token, maxAgeSeconds, path }),
      clearSignInCookie(sessionCookie, path)
    ]
  })
})

/** Signs a person in with the code of a mail. */
export const postSignInCode = defineRoute({
  method: "POST",
  path: `${PAGE}/code`,
  summary: "Signs in with the code of a mail, in the browser that asked for it",
  access: signInAccess,
  body: formBody("code", "The form of the page."),
  responses: {
    303: {
      description: "To the first page, or back to the sign-in page if the code does not count.",
      headers: { "set-cookie": "The session cookie.", location: "The page." }
    }
  },
  errors: ["unauthorized", "storage_unavailable"],
  handle: ({ body, caller, context }) =>
    signIn(caller, body, context).pipe(
      Effect.catchTags({
        SignInRefused: () => problemAt(context, CODE_PAGE, "code"),
        SignInLimited: () => problemAt(context, CODE_PAGE, "limited"),
        UserBlocked: () => problemAt(context, "", "blocked")
      })
    )
})
