import { Schema } from "effect"

/** Work of the owner is under way that a move would cut off. The owner was not moved; try again later. */
export class OwnerBusy extends Schema.TaggedError<OwnerBusy>()("OwnerBusy", {
  work: Schema.Literals(["job", "delivery", "connection", "transaction"])
}) {
  readonly code = "owner_busy"
  override get message() {
    switch (this.work) {
      case "job":
        return "A job of this owner is running. Try again when it has ended."
      case "delivery":
        return "An event of this owner is being delivered. Try again in a minute."
      case "connection":
        return "A CRM connection of this owner is being renewed. Try again in a minute."
      case "transaction":
        return "A transaction in one of the databases does not end, for example a backup. Try again when it has ended."
    }
  }
}

/** An owner cannot be moved, and was not. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>()("MoveRefused", {
  problem: Schema.Literals([
    "elsewhere",
    "superseded",
    "no-fence",
    "other-schema",
    "target-not-empty",
    "differs",
    "not-configured",
    "splitting"
  ]),
  /** The tables, migrations or cells concerned. */
  names: Schema.Array(Schema.String)
}) {
  readonly code = "move_refused"
  override get message() {
    const names = this.names.join(", ")
    switch (this.problem) {
      case "elsewhere":
        return `The owner lives in another cell (${names}).`
      case "superseded":
        return "The move was cancelled, or another move of this owner has begun since."
      case "no-fence":
        return `These tables have no fence yet: ${names}. Enable the fences of both cells.`
      case "other-schema":
        return `The two databases differ in their migrations or tables: ${names}. Migrate both.`
      case "target-not-empty":
        return `The target contains rows of this owner, who never lived there: ${names}.`
      case "not-configured":
        return `The cell "${names}" is not configured.`
      case "splitting":
        return `The cell ${names} is being split, and this owner goes along. Try again when the split has ended.`
      case "differs":
        return `The copied rows differ from the original in ${names}.`
    }
  }
}

/** Buckets cannot be given to another cell, and were not. */
export class AssignRefused extends Schema.TaggedError<AssignRefused>()("AssignRefused", {
  cell: Schema.String,
  problem: Schema.Literals(["has-owners", "superseded", "not-configured", "splitting"]),
  /** Some of the owners who live in the cell. */
  owners: Schema.Array(Schema.String)
}) {
  readonly code = "assign_refused"
  override get message() {
    switch (this.problem) {
      case "has-owners":
        return `The cell "${this.cell}" has owners in these buckets, for example ${this.owners.join(", ")}. Move them first.`
      case "superseded":
        return "Another change of these buckets has begun since. Try again."
      case "not-configured":
        return `The cell "${this.cell}" is not configured.`
      case "splitting":
        return `The cell "${this.cell}" is being split, and some of these buckets go along. Try again when the split has ended.`
    }
  }
}
