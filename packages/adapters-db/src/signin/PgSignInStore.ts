import { type EmailPerson, MOST_TRIES, SignInStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

type PersonRow = EmailPerson & Row

interface TriedRow extends Row {
  readonly used: boolean
  readonly email: string
}

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

const PERSON = `subject AS "userId", email, ${milliseconds("created_at")} AS "createdAt",
  ${milliseconds("signed_in_at")} AS "signedInAt"`

const sweepText = (schema: string) => `
  DELETE FROM ${schema}.sign_ins s USING (
    SELECT o.browser FROM ${schema}.sign_ins o
    WHERE o.expires_at <= clock_timestamp() ORDER BY o.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) old WHERE s.browser = old.browser RETURNING s.browser`

const beginText = (schema: string) => `
  INSERT INTO ${schema}.sign_ins AS s (browser, code, email, expires_at)
  VALUES (decode($1, 'hex'), decode($2, 'hex'), $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
  ON CONFLICT (browser) DO UPDATE SET
    code = excluded.code, email = excluded.email, tries = 0, used = false, expires_at = excluded.expires_at`

/**
 * Redeems a code. The row lock of the update orders concurrent tries, so that only one of them finds the code unused.
 */
const redeemText = (schema: string) => `
  UPDATE ${schema}.sign_ins SET tries = tries + 1, used = code = decode($2, 'hex')
  WHERE browser = decode($1, 'hex') AND NOT used AND tries < ${MOST_TRIES} AND expires_at > clock_timestamp()
  RETURNING used, email`

const enterText = (schema: string) => `
  INSERT INTO ${schema}.sign_in_people AS p (email, subject, created_at, signed_in_at)
  SELECT $1, $2, c.now, c.now FROM clock_timestamp() AS c(now)
  ON CONFLICT (email) DO UPDATE SET signed_in_at = greatest(p.signed_in_at, excluded.signed_in_at)
  RETURNING ${PERSON}`

const make = Effect.map(Database, ({ schema, statement }) =>
  SignInStore.of({
    begin: ({ browser, code, email, lifetimeMs }) =>
      Effect.asVoid(statement(beginText(schema), [browser, code, email, lifetimeMs])).pipe(
        storing("SignInStore.begin")
      ),
    redeem: ({ browser, code }) =>
      Effect.map(statement<TriedRow>(redeemText(schema), [browser, code]), ([row]) =>
        row?.used === true ? row.email : undefined
      ).pipe(storing("SignInStore.redeem")),
    enter: ({ email, newUserId }) =>
      Effect.map(statement<PersonRow>(enterText(schema), [email, newUserId]), ([row]) => row as PersonRow).pipe(
        storing("SignInStore.enter")
      ),
    sweep: ({ limit }) =>
      Effect.map(statement(sweepText(schema), [limit]), (rows) => rows.length).pipe(
        storing("SignInStore.sweep", "maintenance")
      ),
    find: (userId) =>
      Effect.map(
        statement<PersonRow>(`SELECT ${PERSON} FROM ${schema}.sign_in_people WHERE subject = $1`, [userId]),
        ([row]) => row
      ).pipe(storing("SignInStore.find"))
  })
)

/** Sign-ins by e-mail in Postgres or PGlite, shared by all server processes of this database. */
export const PgSignInStoreLayer: Layer.Layer<SignInStore, never, Database> = Layer.effect(SignInStore, make)
