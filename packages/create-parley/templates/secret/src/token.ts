/**
 * Prints a token that signs a person in for an hour: `npm run -s token ann`. Your application issues tokens like this
 * one.
 */
import { SignJWT } from "jose"

const { PARLEY_SESSION_AUDIENCE = "", PARLEY_SESSION_ISSUER = "", PARLEY_SESSION_SECRET } = process.env
const [person = "ann"] = process.argv.slice(2)
const token = await new SignJWT({ email: `${person}@example.com` })
  .setProtectedHeader({ alg: "HS256" })
  .setIssuer(PARLEY_SESSION_ISSUER)
  .setAudience(PARLEY_SESSION_AUDIENCE)
  .setSubject(person)
  .setIssuedAt()
  .setExpirationTime("1h")
  .sign(new TextEncoder().encode(PARLEY_SESSION_SECRET))
console.log(token)
