import { ownerKey, type ConversationOwner } from "./chat/store/StoredChat.ts"
import { ownerOfEvent } from "./events/ParleyEvent.ts"
import type { UserId } from "./identity/UserId.ts"
import type { StoragePorts } from "./StoragePorts.ts"

/**
 * The way in which the results of several databases become one. `sum`: numbers are added, and lists and maps joined, field
 * by field. `tally`: the same for rows with equal names. `any`: true if one is. `first`: the first result that is not
 * undefined. `rows`: lists one after another, cut at the limit of the call. `pages`: a page, or a range, of which the
 * cursor contains the position in each database. `order`: the answers in the order of the items. `own`: a rule of the
 * method's own.
 */
export type Merge = "none" | "sum" | "tally" | "any" | "first" | "rows" | "pages" | "order" | "own"

/** Selects the items of one owner's database from a list in the arguments. */
export type Take = <Item>(items: ReadonlyArray<Item>) => ReadonlyArray<Item>

/**
 * The rows that a call of a port reaches:
 * - `owner`: those of one person, in the person's database;
 * - `owners`: those of several people, one for each item of a list; `take` returns the arguments for some of the items;
 * - `subjects`: those under names that are no people, all in one database: counts of calls, and references of payments;
 * - `global`: rows that all people share;
 * - `each`: those of all people, each database by itself; of one person if `owner` finds one.
 */
export type Reach<Args extends ReadonlyArray<unknown>> =
  | { readonly owner: (...args: Args) => UserId }
  | {
      readonly owners: (...args: Args) => ReadonlyArray<UserId>
      readonly take: (take: Take, ...args: Args) => Args
      readonly merge: Merge
    }
  | { readonly subjects: (...args: Args) => ReadonlyArray<string> }
  | "global"
  | { readonly each: Merge; readonly owner?: (...args: Args) => UserId | undefined }

type ArgsOf<Member> = Member extends (...args: infer Args) => unknown ? Args : []

/** A rule for each method of each storage port. */
export type StorageReach = {
  readonly [Port in keyof StoragePorts]: {
    readonly [Method in keyof StoragePorts[Port]]: Reach<ArgsOf<StoragePorts[Port][Method]>>
  }
}

const userIdOf = ({ userId }: { readonly userId: UserId }): UserId => userId
const ownerOf = ({ owner }: { readonly owner: UserId }): UserId => owner
const botOwnerOf = ({ botOwner }: { readonly botOwner: UserId }): UserId => botOwner
const named = ({ name }: { readonly name: { readonly owner: UserId } }): UserId => name.owner
const itself = (userId: UserId): UserId => userId
const person = (owner: ConversationOwner): UserId => ownerKey(owner).userId
const personIn = ({ owner }: { readonly owner: ConversationOwner }): UserId => person(owner)
const limited = ({ limits }: { readonly limits: ReadonlyArray<{ readonly subject: string }> }) =>
  limits.map(({ subject }) => subject)

/**
 * The rows that each method of the storage ports reaches. A store over several databases, each with all ports, sends the
 * calls by it. All rows of a unit of work are its owner's, except those of `global` methods.
 */
export const storageReach: StorageReach = {
  audit: { record: "global", list: "global", removeOld: "global" },
  billing: {
    pin: { owner: userIdOf },
    link: { owner: userIdOf },
    adopt: {
      owners: (people) => people.map(userIdOf),
      take: (take, people, options) => [take(people), options],
      merge: "sum"
    },
    account: { owner: itself },
    bought: { owner: itself },
    ownerOf: "global"
  },
  paymentEvents: {
    receive: { subjects: ({ references }) => references },
    applyAtOnce: { subjects: ({ references }) => references },
    conclude: { owner: userIdOf },
    keep: "global",
    find: { each: "rows" },
    list: { each: "pages", owner: ({ userId }) => userId }
  },
  billingUpkeep: {
    forget: { each: "sum" },
    caughtUpTo: "global",
    noteCaughtUp: "global",
    stranded: { each: "rows" },
    several: { each: "pages" },
    people: { each: "pages" },
    credited: { each: "pages" }
  },
  bots: {
    insert: { owner: ownerOf },
    update: { owner: ownerOf },
    find: { owner: ownerOf },
    list: { owner: itself },
    remove: { owner: ownerOf },
    addKey: { owner: ownerOf },
    retireKey: { owner: ownerOf }
  },
  publishedBots: {
    findByKey: { subjects: (publicKey) => [publicKey] },
    noteSite: { owner: ownerOf },
    sites: { owner: ownerOf }
  },
  ledger: {
    now: "global",
    run: { owner: userIdOf },
    renew: {
      owners: ({ holds }) => holds.map(userIdOf),
      take: (take, { holds, ttlMs }) => [{ holds: take(holds), ttlMs }],
      merge: "sum"
    },
    recall: { owner: itself }
  },
  creditRecords: {
    account: { owner: itself },
    transactions: { owner: itself },
    history: { owner: userIdOf },
    usage: { owner: userIdOf }
  },
  creditUpkeep: {
    sweep: { each: "sum" },
    due: { each: "pages" },
    reset: { each: "pages" },
    verify: { each: "pages", owner: ({ userId }) => userId },
    missingTiers: { each: "own" }
  },
  chats: {
    beginTurn: { owner: personIn },
    transcript: { owner: personIn },
    list: { owner: userIdOf },
    rename: { owner: itself },
    keepDocuments: { owner: itself },
    usage: { owner: person },
    remove: { owner: person }
  },
  chatRecords: {
    listById: { owner: userIdOf },
    conversations: { owner: botOwnerOf },
    conversation: { owner: itself },
    conversationsById: { owner: botOwnerOf },
    rate: { owner: personIn },
    removeOfBot: { owner: itself },
    removeUnused: { each: "sum" }
  },
  sharedChats: {
    share: { owner: userIdOf },
    unshare: { owner: itself },
    find: { each: "first" }
  },
  images: {
    add: { owner: itself },
    read: { owner: itself },
    list: { owner: itself },
    removeUnused: { each: "sum" }
  },
  projects: {
    list: { owner: itself },
    get: { owner: itself },
    create: { owner: itself },
    change: { owner: itself },
    remove: { owner: itself },
    place: { owner: itself }
  },
  preferences: { get: { owner: itself }, set: { owner: itself } },
  botReports: {
    days: { owner: botOwnerOf },
    unanswered: { owner: botOwnerOf },
    cited: { owner: botOwnerOf }
  },
  conversationFiles: {
    attach: { owner: personIn },
    list: { owner: personIn },
    removeOne: {
      each: "any",
      owner: (of) => ("unusedForMs" in of ? undefined : "bot" in of ? of.botOwner : personIn(of))
    }
  },
  handovers: {
    ask: { owner: personIn },
    say: { owner: personIn },
    look: { owner: personIn },
    answer: { owner: botOwnerOf },
    move: { owner: botOwnerOf },
    counts: { owner: itself }
  },
  runningReplies: {
    write: {
      owners: ({ beats }) => beats.map(({ hold }) => hold.userId),
      take: (take, { beats, ttlMs }) => [{ beats: take(beats), ttlMs }],
      merge: "order"
    },
    read: { owner: personIn },
    find: { owner: personIn },
    askToStop: { owner: personIn },
    askAllToStop: { owner: itself }
  },
  crmConnections: {
    save: { owner: ownerOf },
    find: { owner: ownerOf },
    list: { owner: ownerOf },
    remove: { owner: ownerOf },
    claimRefresh: { owner: named },
    endRefresh: { owner: named }
  },
  sealedConnections: { list: { each: "pages" }, reseal: { owner: ownerOf }, counts: { each: "tally" } },
  oauthStates: { spend: { owner: ownerOf } },
  documents: {
    insert: { owner: userIdOf },
    find: { owner: itself },
    exists: { each: "any" },
    list: { owner: itself },
    update: { owner: itself },
    listByStatus: { each: "pages", owner: ({ userId }) => userId },
    remove: { owner: itself }
  },
  files: {
    write: { owner: userIdOf },
    read: { owner: userIdOf },
    readSome: { owner: userIdOf },
    move: { each: "sum" }
  },
  passages: {
    embedder: "global",
    search: { owner: userIdOf },
    spread: { owner: userIdOf },
    read: { owner: userIdOf },
    excerpt: { owner: userIdOf },
    indexings: {
      owners: (documents) => documents.map(userIdOf),
      take: (take, documents) => [take(documents)],
      merge: "rows"
    },
    unembedded: { owner: itself }
  },
  passageWriter: {
    begin: { owner: userIdOf },
    add: { owner: userIdOf },
    activate: { owner: userIdOf },
    put: { owner: userIdOf },
    abandon: { owner: userIdOf }
  },
  reindexing: {
    begin: "global",
    find: "global",
    end: "global",
    claim: { owner: userIdOf },
    release: { owner: userIdOf },
    sweep: { each: "sum" }
  },
  reindexRecords: {
    standing: { each: "tally", owner: (userId) => userId },
    failures: { each: "rows", owner: ({ userId }) => userId },
    forget: { owner: itself }
  },
  jobs: {
    enqueue: { owner: itself },
    ensure: { owner: itself },
    find: { owner: itself },
    list: { each: "pages", owner: (owner) => owner },
    retry: { owner: itself },
    removeAll: { owner: itself },
    work: { each: "none" }
  },
  workers: { beat: { each: "none" }, leave: { each: "none" }, state: { each: "own" } },
  taskRuns: { begin: "global", renew: "global", end: "global", ended: "global" },
  outbox: {
    subscribe: { each: "none" },
    publish: { owner: ({ data }) => ownerOfEvent(data) },
    claim: { each: "rows" },
    conclude: { owner: ({ delivery }) => delivery.owner },
    disable: { each: "none" },
    prune: { each: "sum" }
  },
  deliveryRecords: {
    list: { each: "rows" },
    ofAccount: { owner: ({ account }) => account },
    feed: { each: "pages" },
    destinations: { each: "own" },
    retry: { each: "sum" }
  },
  moneyRecords: { charges: { each: "tally" }, revenue: { each: "tally" } },
  personalData: {
    begin: { owner: itself },
    list: { each: "pages" },
    count: { owner: itself },
    erase: { owner: userIdOf }
  },
  callLimiter: { admit: { subjects: limited }, keep: { each: "none" }, sweep: { each: "sum" } },
  access: {
    change: { owner: userIdOf },
    find: { owner: itself },
    lock: { owner: itself },
    since: { each: "own" }
  },
  serviceKeys: {
    insert: "global",
    find: "global",
    list: "global",
    rotate: "global",
    revoke: "global",
    noteUse: "global"
  },
  revokedSessions: { revoke: "global", since: "global" },
  signIns: { begin: "global", redeem: "global", enter: "global", find: "global", sweep: "global" },
  rateLimiter: {
    count: { subjects: ({ subject }) => [subject] },
    peek: { subjects: (events) => events.map(({ subject }) => subject) }
  },
  spendLimiter: { spend: { subjects: limited }, giveBack: { subjects: limited }, sweep: { each: "sum" } },
  unitOfWork: { run: { owner: itself }, join: { owner: itself } }
}
