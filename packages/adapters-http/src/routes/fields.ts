import { Schema } from "effect"

/** Schemas for fields of bodies, each with its description for the OpenAPI document. */
export const text = (description: string) => Schema.String.annotate({ description })

export const uuid = (description: string) => Schema.String.annotate({ description, format: "uuid" })

/** A moment in ISO 8601, UTC. */
export const moment = (description: string) => Schema.String.annotate({ description, format: "date-time" })

export const whole = (description: string) => Schema.Int.annotate({ description })

export const decimal = (description: string) => Schema.Finite.annotate({ description })

export const flag = (description: string) => Schema.Boolean.annotate({ description })

export const choice = <const Names extends ReadonlyArray<string>>(names: Names, description: string) =>
  Schema.Literals(names).annotate({ description })

/** A constant text. */
export const constant = <const Text extends string>(value: Text, description: string) =>
  Schema.Literal(value).annotate({ description })

/** A value that may be null; the description must explain what null means. */
export const orNull = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })

export const listOf = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.Array(schema).annotate({ description })

/** Gives a schema the name under which the OpenAPI document lists it and clients know it. */
export const named = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: Fields
) => Schema.Struct(fields).annotate({ identifier, description })

/** The fields of a page of a list that is read by offset. */
export const pageFields = (elements: string) => ({
  total: whole(`The number of all ${elements}.`),
  limit: whole("The most elements of a page, as requested."),
  offset: whole("The number of skipped elements, as requested.")
})
