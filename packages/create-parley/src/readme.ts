import type { Choices } from "./Choices.ts"

const START: Readonly<Record<Choices["framework"], string>> = {
  server: "npm start",
  express: "npm run dev",
  fastify: "npm run dev",
  hono: "npm run dev",
  next: "npm run dev"
}

/** The commands that start a new project in its folder. */
export const nextCommands = (choices: Choices, manager: string): ReadonlyArray<string> => [
  `${manager} install`,
  START[choices.framework].replace("npm", manager)
]

/** The settings that a person has to make before the first start; empty if there are none. */
export const settingsToMake = (choices: Choices): ReadonlyArray<string> => [
  ...(choices.database === "postgres" ? ["DATABASE_URL: your Postgres server"] : []),
  ...(choices["sign-in"] === "jwks" ? ["PARLEY_SESSION_ISSUER: your identity provider"] : [])
]

const SIGN_IN: Readonly<Record<Choices["sign-in"], string>> = {
  development:
    "Any visitor of this machine signs in with any address. Before others can reach the server, choose tokens with a secret or\nan identity provider's.",
  secret:
    'Your application issues tokens, signed with `PARLEY_SESSION_SECRET`, in the cookie `parley_session` or as bearer tokens. To try it:\n\n```sh\ncurl -H "authorization: Bearer $(npm run -s token ann)" http://localhost:3000/api/billing/balance\n```',
  jwks: "Your identity provider issues tokens; `PARLEY_SESSION_ISSUER` and `PARLEY_SESSION_AUDIENCE` in `.env` are theirs. The application sends\nthem in the cookie `parley_session` or as bearer tokens."
}

const FILES: Readonly<Record<string, string>> = {
  "src/main.ts": "the application, with Parley's routes and the dashboard in it",
  "src/parley.ts": "opens Parley: the database, the documents, the models",
  "src/storage.ts": "the database",
  "src/signIn.ts": "who a person is",
  "src/token.ts": "prints a token, to try the sign-in",
  "src/handler.ts": "Parley's routes as one function",
  "src/app/Chat.tsx": "the chat",
  "src/app/SignIn.tsx": "the sign-in"
}

/** The README of a project with the files `paths`. */
export const readmeOf = (name: string, choices: Choices, paths: ReadonlyArray<string>): string => {
  const files = paths.flatMap((path) => (path in FILES ? [`| \`${path}\` | ${FILES[path]} |`] : []))
  const table = files.length === 0 ? [] : ["| file | contents |", "| --- | --- |", ...files, ""]
  const settings = settingsToMake(choices).map((setting) => `- ${setting}`)
  return [
    `# ${name}`,
    "",
    "A paid AI assistant on [Parley](https://github.com/parley-ai/parley).",
    "",
    "```sh",
    ...nextCommands(choices, "npm"),
    "```",
    "",
    ...(settings.length === 0 ? [] : ["Before that, set in `.env`:", "", ...settings, ""]),
    "Then open http://localhost:3000. Without `OPENAI_API_KEY` in `.env` the offline model answers: it quotes documents.",
    "",
    "## Sign-in",
    "",
    SIGN_IN[choices["sign-in"]],
    "",
    ...(table.length === 0 ? [] : ["## Files", "", ...table]),
    "Parley's [guides](https://github.com/parley-ai/parley/tree/main/docs) describe tiers and prices, payments, your own models, and",
    "going to production.",
    ""
  ].join("\n")
}
