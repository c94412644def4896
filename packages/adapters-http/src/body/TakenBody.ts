/** The rest of a body after another parser: its bytes, its parsed value, or nothing usable. */
export type TakenBody =
  | { readonly _tag: "bytes"; readonly bytes: Buffer }
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "lost" }
