// Written by `npm run docs:tables` from the table of routes: change that.

import type { Balance, Transaction, TransactionList } from "./shared.ts"

/** The tier and the credits of a person. */
export interface Account {
  /** The person's tier. */
  readonly tier: string
  /** True if billing events do not change the tier. */
  readonly pinned: boolean
  /** The tier that billing would set; null for a person who never paid for one. */
  readonly paidTier: string | null
  readonly balance: Balance
}

/** A correction of a balance. */
export interface Adjustment {
  /** Whole credits: negative to take them. */
  readonly amount: number
  /** The business event, for example a ticket: the same key moves the credits once. */
  readonly key: string
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** An action of an operator. */
export interface AuditEntry {
  /** The number of the entry, which grows. */
  readonly number: number
  /** When the action took place. */
  readonly at: string
  /** `user:` and the id of an operator, or the name of a command's user. */
  readonly by: string
  /** The name of the action. */
  readonly action: string
  /** The person on whom the operator acted; null if there is none. */
  readonly userId: string | null
  /** The parameters of the action. */
  readonly details: string
  /** The reason that the operator named; null without one. */
  readonly reason: string | null
  /** The address of the operator's client; null if it is unknown. */
  readonly address: string | null
}

/** A page of the audit log. */
export interface AuditPage {
  /** The entries, newest first. */
  readonly entries: ReadonlyArray<AuditEntry>
  /** `before` of the next page; null on the last one. */
  readonly next: number | null
}

/** The refund of a purchase outside the payment provider. */
export interface CreditRefund {
  /** The payment or the checkout session of the purchase. */
  readonly payment: string
  /** The total that was refunded, in the smallest unit of the currency; all of it unless given. */
  readonly refunded?: number
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** The result of an action on credits. */
export interface MovedCredits {
  /** Null if nothing changed. */
  readonly transaction: Transaction | null
  /** The credits that the person can spend now. */
  readonly available: number
}

/** A grant by an operator. */
export interface OperatorGrant {
  /** Whole credits, which never expire. */
  readonly amount: number
  /** The business event, for example a ticket: the same key moves the credits once. */
  readonly key: string
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** The reason of an operator's action. */
export interface OperatorReason {
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** A change of a person's tier by an operator. */
export interface OperatorTierChange {
  /** A tier of the catalog. */
  readonly tier: string
  /** True: billing events do not change the tier until it is unpinned. Default false. */
  readonly pin?: boolean
  /** The reason, for the audit log: one line of at most 500 characters. */
  readonly reason: string
}

/** A person, as operators see them. */
export interface Person {
  /** The person's id. */
  readonly userId: string
  /** When the person was blocked; null if they are not. */
  readonly blockedAt: string | null
  /** Sessions that began earlier are refused. */
  readonly notBefore: string | null
  /** Null for a person who never signed in. */
  readonly account: Account | null
}

/** The access of a person. */
export interface PersonAccess {
  /** The person's id. */
  readonly userId: string
  /** When the person was blocked; null if they are not. */
  readonly blockedAt: string | null
  /** Sessions that began earlier are refused. */
  readonly notBefore: string | null
}

/** A page of people. */
export interface PersonList {
  /** The people, in the order of their ids. */
  readonly users: ReadonlyArray<PersonSummary>
  /** `after` of the next page; null on the last one. */
  readonly next: string | null
}

/** A person in a list. */
export interface PersonSummary {
  /** The person's id. */
  readonly userId: string
  /** The person's tier; null for a person without an account. */
  readonly tier: string | null
  /** The credits that the person can spend; null for a person without an account. */
  readonly available: number | null
  /** When the person was blocked; null if they are not. */
  readonly blockedAt: string | null
  /** Sessions that began earlier are refused. */
  readonly notBefore: string | null
}

/** The operations of this area, by their ids. */
export interface OperatorsOperations {
  /** Lists people with their tier, credits and blocks, in the order of their ids. Callers are signed-in operators with the role `support` or `owner`. */
  readonly listPeople: {
    readonly query?: {
      /** Part of the id, in any case, or the whole id of the payment provider's customer. */
      readonly search?: string | undefined
      /** `true`: only blocked people. */
      readonly blocked?: boolean | undefined
      /** `next` of the previous page. */
      readonly after?: string | undefined
      /** The most people. */
      readonly limit?: number | undefined
    }
    readonly response: PersonList
  }
  /** Returns a person's tier, credits and access. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getPerson: {
    readonly path: {
      readonly id: string
    }
    readonly response: Person
  }
  /** Lists a person's credit transactions, newest first. Callers are signed-in operators with the role `support` or `owner`. */
  readonly getHistoryOfPerson: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number | undefined
      /** Number of elements to skip. */
      readonly offset?: number | undefined
      /** Only transactions of this type; an unknown type returns an empty list. */
      readonly type?: string | undefined
    }
    readonly response: TransactionList
  }
  /** Refuses all requests of a person and all messages to their bots, and ends their running replies. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly blockPerson: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorReason
    readonly response: PersonAccess
  }
  /** Lifts the block of a person. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly unblockPerson: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorReason
    readonly response: PersonAccess
  }
  /** Ends all sessions of a person. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly signOutPerson: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorReason
    readonly response: PersonAccess
  }
  /** Grants a person credits that never expire. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly grantCreditsToPerson: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorGrant
    readonly response: MovedCredits
  }
  /** Corrects a balance: positive amounts are added, negative ones taken; credits beyond the balance become debt. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly adjustCredits: {
    readonly path: {
      readonly id: string
    }
    readonly body: Adjustment
    readonly response: MovedCredits
  }
  /** Takes back the credits of a purchase that was refunded outside the payment provider; moves no money. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly refundCredits: {
    readonly path: {
      readonly id: string
    }
    readonly body: CreditRefund
    readonly response: MovedCredits
  }
  /** Puts a person on a tier, with its credits from now on. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly setTierOfPerson: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorTierChange
    readonly response: MovedCredits
  }
  /** Lets billing events decide over a person's tier again, beginning with those that have come. Callers are signed-in operators with the role `owner`; writes require a fresh sign-in. */
  readonly unpinTier: {
    readonly path: {
      readonly id: string
    }
    readonly body: OperatorReason
    readonly response: MovedCredits
  }
  /** Lists the actions of operators, newest first. Callers are signed-in operators with the role `support` or `owner`. */
  readonly listAudit: {
    readonly query?: {
      /** Only actions on this person. */
      readonly user?: string | undefined
      /** Only actions since this time (ISO 8601). */
      readonly since?: string | undefined
      /** `next` of the previous page. */
      readonly before?: number | undefined
      /** The most entries. */
      readonly limit?: number | undefined
    }
    readonly response: AuditPage
  }
}
