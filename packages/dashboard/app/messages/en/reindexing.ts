import type { Message } from "../format.ts"

/** Texts about documents on an older index. */
export const reindexing = {
  "documents.reindex": "Documents on an older index",
  "documents.reindex.outdated": {
    one: "{count} of your {total} documents is on an older index.",
    other: "{count} of your {total} documents are on an older index."
  },
  "documents.reindex.text":
    "The way documents are read or searched has changed since. They are found as before, some by their words alone. Indexing them anew costs no credits.",
  "documents.reindex.start": "Index anew",
  "documents.reindex.waiting": "Indexing anew begins in a moment.",
  "documents.reindex.running": {
    one: "Being indexed anew: {count} document of {total} is left.",
    other: "Being indexed anew: {count} documents of {total} are left."
  },
  "documents.reindex.meanwhile": "All documents can be searched meanwhile, and you may leave this page.",
  "documents.reindex.progress": "Progress of indexing anew",
  "documents.reindex.stopped":
    "It stopped before the end, because something failed on our side. What is done stays done.",
  "documents.reindex.continue": "Continue",
  "documents.reindex.failed": {
    one: "{count} document could not be indexed anew. It is found as before.",
    other: "{count} documents could not be indexed anew. They are found as before."
  },
  "documents.reindex.done": "All documents are on the present index."
} as const satisfies Record<string, Message>
