import type { Choices } from "./Choices.ts"

const DATABASE: Readonly<Record<Choices["database"], ReadonlyArray<string>>> = {
  embedded: ["# The data of the embedded database.", "PARLEY_DATA_DIR=.parley"],
  postgres: [
    "# A Postgres 17 server; an empty database is enough.",
    "DATABASE_URL=postgres://parley@127.0.0.1:5432/parley"
  ]
}

const signInLines = (kind: Choices["sign-in"], secret: string): ReadonlyArray<string> => {
  if (kind === "development") return []
  const audience = "PARLEY_SESSION_AUDIENCE=parley"
  const page = ["# The page on which people sign in.", "# PARLEY_SIGN_IN_URL=http://localhost:3000/login"]
  return kind === "secret"
    ? [
        "# The secret and the claims of the tokens that your application issues.",
        `PARLEY_SESSION_SECRET=${secret}`,
        "PARLEY_SESSION_ISSUER=http://localhost:3000",
        audience,
        ...page
      ]
    : [
        "# The issuer and the audience of your identity provider's tokens.",
        "PARLEY_SESSION_ISSUER=https://id.example.com",
        audience,
        ...page
      ]
}

const PORT_LINES = ["PORT=3000", "# The address that people use."]

/** The text of a project's `.env` file. */
export const environmentOf = ({ database, framework, "sign-in": signIn }: Choices, secret: string): string =>
  [
    // Next.js chooses its port before it reads this file, so the port cannot be set here.
    ...(framework === "next" ? ["# The address that people use. For another port: npm start -- -p 4000"] : PORT_LINES),
    "PARLEY_BASE_URL=http://localhost:3000",
    "",
    ...DATABASE[database],
    "",
    "# Without a key the offline model answers: it quotes documents and knows nothing else.",
    "# OPENAI_API_KEY=",
    ...(signIn === "development" ? [] : ["", ...signInLines(signIn, secret)]),
    ""
  ].join("\n")
