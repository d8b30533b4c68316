import type { z } from 'zod'

import type { Evaluation, Evaluations } from '../authzen/request.js'
import type { RefusalCode } from '../domain/refusal.js'
import type { AccessAddresses, AccessAnswer, AccessAnswers } from '../routes/access-schemas.js'
import type { DecisionView, EntryView, ExplainedRequest, Filter, TimelineFilter } from '../routes/audit-schemas.js'
import type { BulkQuery, BulkView, bulkItems, bulkRequest } from '../routes/bulk-schemas.js'
import type {
  LinkExportQuery,
  ListQuery,
  NewOwner,
  TagsView,
  TransferView,
  linkChanges,
  newLink,
} from '../routes/link-schemas.js'
import type { LinkView, ManagedLinkView } from '../routes/link-view.js'
import type { ExplanationView, PolicyQuestion } from '../routes/policy-explanation-schemas.js'
import type { PreviewQuery, PreviewView } from '../routes/policy-preview-schemas.js'
import type * as policy from '../routes/policy-schemas.js'
import type { Approval, Declining, ProposalQuery, ProposalView, ShownProposal } from '../routes/proposal-schemas.js'
import type { ReplayView } from '../routes/replay-schemas.js'
import type {
  ChangedProfile,
  MadeToken,
  NewToken,
  RevocationQuery,
  TokensView,
  profileUpdate,
} from '../routes/profile-schemas.js'
import type { EvidenceQuery, ProofView } from '../routes/proof-schemas.js'
import type { Look } from '../routes/qr-schemas.js'
import type { AskedRights, LinkRightsView, OwnRightsView } from '../routes/rights-schemas.js'
import type { ProfileView } from '../routes/schemas.js'
import type {
  ConfirmEmail,
  ConfirmedEmail,
  ForgottenPassword,
  MailedLinkQuery,
  MailedLinkView,
  NewPassword,
  RevokeRequest,
  SignInsView,
  TokenAnswer,
  TokenRequest,
} from '../routes/sign-in-schemas.js'
import type {
  AcceptedInvitation,
  InvitationListQuery,
  InvitationView,
  ListedInvitation,
  MadeInvitation,
  NewInvitation,
  UserDeletionQuery,
  UserListQuery,
  UserView,
  userUpdate,
} from '../routes/user-schemas.js'
import type { AllVisitsView, LiveQuery, OfAll, OfLink, VisitsView } from '../routes/visit-schemas.js'

export type { Fault } from '../domain/refusal.js'

/** The input of a route's schema. */
type Input<Schema extends z.ZodType> = z.input<Schema>
type InputOf<Make extends (...given: never[]) => z.ZodType> = z.input<ReturnType<Make>>
/** The response of a route, as it is sent: ids are plain text. */
type Output<Schema extends z.ZodType> = z.input<Schema>

/** A parameter may be given as text, or as the value that the text means. */
type Parameter<Text, Value> =
  | Text
  | (NonNullable<Value> extends number ? number : never)
  | (string extends Text ? never : 'true' extends Text ? boolean : never)
type WithValues<Texts, Values> = {
  [Name in keyof Texts]: Parameter<Texts[Name], Name extends keyof Values ? Values[Name] : never>
}
/** The query of a route. */
type Query<Schema extends z.ZodType> = WithValues<z.input<Schema>, z.output<Schema>>

/** A link as everybody sees it; members that only its managers see may be missing. */
export type Link = Output<typeof LinkView>
/** A link, as seen by callers who may change it. */
export type ManagedLink = Output<typeof ManagedLinkView>
/** A line of `exportLinks`. */
export type ExportedLink = Omit<ManagedLink, 'url' | 'visits' | 'etag' | 'deleted_at'>
export type NewLink = InputOf<typeof newLink>
export type LinkChanges = InputOf<typeof linkChanges>
export type LinkQuery = Query<typeof ListQuery>
type ItemsOf = ReturnType<typeof bulkItems>
/** The items of one operation, with `atomic`: all of them or none. */
export type ManyLinks = {
  [Operation in keyof ItemsOf]: Omit<InputOf<typeof bulkRequest>, 'operation' | 'items'> & {
    operation: Operation
    items: readonly z.input<ItemsOf[Operation]>[]
  }
}[keyof ItemsOf]
export type ManyLinksDone = Output<typeof BulkView>

export type Visits = Output<typeof VisitsView>
export type AllVisits = Output<typeof AllVisitsView>
/** What `watchLinkVisits` yields. */
export type VisitCount = ManagedLink['visits']
/** A line of `exportLinkVisits`. */
export interface ExportedVisit {
  time: string
  referrer: string | null
  country: string | null
  browser: string | null
  os: string | null
  device: string | null
  bot: boolean
}

/** The progress of a verification of the log, in entries. */
export interface VerificationProgress {
  done: number
  of: number
}
/** The last event of `verifyLog`. Without it, the verification has no result. */
export interface Verdict {
  whole: boolean
  entries: number
  chains: number
  /** dropped entries, according to signed statements */
  retired: number
  /** when the newest valid checkpoint was signed */
  checkpoint: string | null
  /** the first faults */
  faults: { kind: string; [detail: string]: unknown }[]
  faults_found: number
}

export type Profile = Output<typeof ProfileView>
export type User = Output<typeof UserView>
export type Invitation = Output<typeof ListedInvitation>
export type Decision = Output<typeof DecisionView>
export type LogEntry = Output<typeof EntryView>
export type Policy = Output<typeof policy.PolicyView>
export type PolicyRevision = Output<typeof policy.RevisionView>
export type PolicyProposal = Output<typeof ProposalView>
export type PolicyEdit = Output<typeof policy.EditView>
export type PolicyPreview = Output<typeof PreviewView>
export type Replay = Output<typeof ReplayView>

/** An AuthZEN evaluation request. */
export type AccessQuestion = Evaluation
/** Several evaluation requests, with defaults for members that one leaves out. */
export type AccessQuestions = Omit<Input<typeof Evaluations>, 'evaluations'> & {
  evaluations?: readonly Partial<AccessQuestion>[]
}

/** One page of a list. */
export interface Page<Item> {
  /** the items of this page */
  readonly data: readonly Item[]
  /** `cursor` of the next page; null on the last one */
  readonly next_cursor: string | null
  /** the total of all pages, if the query has `count` */
  readonly count?: number | undefined
}

/** A list. `for await` walks all of it, page by page; nothing is requested before that. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** One page: the first, or that of the query's `cursor`. */
  page(): Promise<Page<Item>>
}

/** The tokens of a sign-in, to be stored between two runs of a program. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  /** milliseconds since 1970, by this machine's clock */
  readonly expires_at: number
}

export interface ClientOptions {
  /** URL of the service; it may have a path */
  baseUrl: string
  /**
   * a personal or an access token, or a function that returns one; it is called for every request, and again after a
   * 401
   */
  token?: string | (() => string | Promise<string>) | undefined
  /** tokens of an earlier sign-in, as passed to `onTokens` */
  tokens?: Tokens | undefined
  /** called with each new pair of tokens, which replaces the previous one, and with null at the end of the sign-in */
  onTokens?: ((tokens: Tokens | null) => void) | undefined
  /** how often a repeatable request is retried; default 2, and 0 turns it off */
  retries?: number | undefined
  /** the longest `Retry-After`, in seconds, that is waited for; beyond it, the call rejects; default 10 */
  maxRetryAfter?: number | undefined
  /** used instead of the global `fetch` */
  fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  /** aborts the call, which rejects with the signal's reason */
  signal?: AbortSignal | undefined
  /** a policy revision: decide under this or a newer one (412 otherwise) */
  policyAtLeast?: number | undefined
  /** the `X-Request-ID`, which the decision log records; 1 to 200 visible ASCII characters */
  requestId?: string | undefined
}

export interface CreationOptions extends CallOptions {
  /** the same key for every attempt at one creation, even across restarts; by default, each call gets a new one */
  idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** change only this version (412 otherwise): an ETag, or the result of an earlier call */
  ifMatch?: string | object | undefined
}

/** Options of an edit of the policy. */
export interface EditOptions extends ChangeOptions {
  query?: Query<typeof policy.Trial> | undefined
}

/** Options of a bulk change. */
export interface ManyOptions extends CallOptions {
  query?: Query<typeof BulkQuery> | undefined
}

/** The format of an export; default `csv`. */
type Csv = { format?: 'csv' | undefined }
type Ndjson = { format: 'ndjson' }
type As<Form, Filters> = Omit<Filters, 'format'> & Form
type Json = { format?: 'json' | undefined }

/** The operations of the service, by their names in its OpenAPI description. */
export interface Operations {
  /** Creates a link. */
  createLink(link: NewLink, options?: CreationOptions): Promise<ManagedLink>
  /** The links that you may change; with `state: 'deleted'`, those that you may restore. */
  listLinks(query?: LinkQuery, options?: CallOptions): Pages<ManagedLink>
  /** All links that you may change, or those that match, as lines of text or one by one. */
  exportLinks(query?: As<Csv, Query<typeof LinkExportQuery>>, options?: CallOptions): AsyncIterable<string>
  exportLinks(query: As<Ndjson, Query<typeof LinkExportQuery>>, options?: CallOptions): AsyncIterable<ExportedLink>
  /** Shows a link: all of it to those who may change it. */
  getLink(code: string, options?: CallOptions): Promise<Link>
  /** The QR code of the short URL: an SVG, or a PNG. */
  getLinkQr(code: string, query?: Query<typeof Look>, options?: CallOptions): Promise<Blob>
  /** Changes the given fields; null clears one. */
  updateLink(code: string, changes: LinkChanges, options?: ChangeOptions): Promise<ManagedLink>
  /** Moves a link to the trash; its code is free at once. */
  deleteLink(code: string, options?: ChangeOptions): Promise<void>
  /** Restores a deleted link by its id, with its code or another one. */
  restoreLink(id: string, as?: Pick<LinkChanges, 'code'>, options?: CallOptions): Promise<ManagedLink>
  /** Transfers a link to another user. */
  transferLink(code: string, to: Input<typeof NewOwner>, options?: ChangeOptions): Promise<ManagedLink>
  /** Transfers all links of a user to another one; repeat it while `remaining` is not 0. */
  transferLinksOfUser(
    id: string,
    to: Input<typeof NewOwner>,
    options?: CallOptions,
  ): Promise<Output<typeof TransferView>>
  /**
   * Changes up to 1,000 links at once, each decided by itself: check `refused`. `query: { dry_run: true }` only tries.
   */
  changeManyLinks(change: ManyLinks, options?: ManyOptions): Promise<ManyLinksDone>
  /** Who may change or delete a link. Only for callers who may change it. */
  getLinkRights(code: string, options?: CallOptions): Promise<Output<typeof LinkRightsView>>
  /** Your tags, the most used first. */
  listTags(options?: CallOptions): Promise<Output<typeof TagsView>>

  /** The visits of a link. */
  getLinkVisits(code: string, query?: Query<typeof OfLink>, options?: CallOptions): Promise<Visits>
  /** The visits of all links that you may change, or only of those with these tags. */
  getVisits(query?: Query<typeof OfAll>, options?: CallOptions): Promise<AllVisits>
  /** Single visits, as long as they are stored, oldest first, as lines of text or one by one. */
  exportLinkVisits(code: string, query?: Csv, options?: CallOptions): AsyncIterable<string>
  exportLinkVisits(code: string, query: Ndjson, options?: CallOptions): AsyncIterable<ExportedVisit>
  /**
   * The count of visits, at once and after visits, at most once a second. It ends with the signal, after ten minutes,
   * and when your rights or the policy change: call it again.
   */
  watchLinkVisits(code: string, query?: Query<typeof LiveQuery>, options?: CallOptions): AsyncIterable<VisitCount>

  /** Your account. */
  getProfile(options?: CallOptions): Promise<Profile>
  /** Changes your name, password or address. */
  updateProfile(changes: InputOf<typeof profileUpdate>, options?: CallOptions): Promise<Output<typeof ChangedProfile>>
  /** What you may do with this token, also to the visible links among these codes. */
  getOwnRights(asked: Input<typeof AskedRights>, options?: CallOptions): Promise<Output<typeof OwnRightsView>>
  /** Your personal tokens. */
  listPersonalTokens(options?: CallOptions): Promise<Output<typeof TokensView>>
  /** Makes a personal token. Only this response contains its value: a retry is refused (409 `already_created`). */
  createPersonalToken(token: Input<typeof NewToken>, options?: CreationOptions): Promise<Output<typeof MadeToken>>
  /** Revokes a personal token; with `descendants`, also all tokens made with it. */
  revokePersonalToken(id: string, query?: Query<typeof RevocationQuery>, options?: CallOptions): Promise<void>
  /** Where you are signed in. */
  listSignIns(options?: CallOptions): Promise<Output<typeof SignInsView>>
  /** Ends a sign-in and its access tokens. */
  endSignIn(id: string, options?: CallOptions): Promise<void>

  /** Users, newest first, filtered by `q`, `role` and `suspended`. */
  listUsers(query?: Query<typeof UserListQuery>, options?: CallOptions): Pages<User>
  /** Shows a user. */
  getUser(id: string, options?: CallOptions): Promise<User>
  /** Changes a user's role, suspends them, or, if no mail is sent, sets their address. */
  updateUser(id: string, changes: InputOf<typeof userUpdate>, options?: CallOptions): Promise<User>
  /** Deletes a user; `links` says what happens to their links. */
  deleteUser(id: string, query?: Query<typeof UserDeletionQuery>, options?: CallOptions): Promise<void>
  /** Invites a person. Only this response contains the link: a retry is refused (409 `already_created`). */
  inviteUser(invitation: Input<typeof NewInvitation>, options?: CreationOptions): Promise<Output<typeof MadeInvitation>>
  /** Your invitations, or all if you may read every user; newest first. */
  listInvitations(query?: Query<typeof InvitationListQuery>, options?: CallOptions): Pages<Invitation>
  /** Withdraws an open invitation. */
  withdrawInvitation(id: string, options?: CallOptions): Promise<void>
  /** Shows an invitation. */
  showInvitation(token: string, options?: CallOptions): Promise<Output<typeof InvitationView>>
  /** Accepts an invitation, once. */
  acceptInvitation(token: string, person: Input<typeof AcceptedInvitation>, options?: CallOptions): Promise<Profile>

  /** The token endpoint of RFC 6749; `signIn` uses it and stores the tokens. */
  requestToken(grant: Input<typeof TokenRequest>, options?: CallOptions): Promise<Output<typeof TokenAnswer>>
  /** Revokes a refresh token (RFC 7009); `signOut` uses it. */
  revokeToken(token: Input<typeof RevokeRequest>, options?: CallOptions): Promise<object>
  /** Requests a link for choosing a new password, by mail. */
  requestPasswordReset(account: Input<typeof ForgottenPassword>, options?: CallOptions): Promise<object>
  /** Shows such a link. */
  showPasswordReset(query: Query<typeof MailedLinkQuery>, options?: CallOptions): Promise<Output<typeof MailedLinkView>>
  /** Chooses a new password with such a link, once. */
  resetPassword(password: Input<typeof NewPassword>, options?: CallOptions): Promise<object>
  /** Shows a link for confirming a new address. */
  showEmailConfirmation(
    query: Query<typeof MailedLinkQuery>,
    options?: CallOptions,
  ): Promise<Output<typeof MailedLinkView>>
  /** Confirms a new address, once. */
  confirmEmail(link: Input<typeof ConfirmEmail>, options?: CallOptions): Promise<Output<typeof ConfirmedEmail>>

  /** Whether this subject may do that. A deny is an answer, not a problem. */
  evaluateAccess(question: AccessQuestion, options?: CallOptions): Promise<Output<typeof AccessAnswer>>
  /** Evaluates many requests at once, in order; without `evaluations` it is a single one. */
  evaluateManyAccesses(questions: AccessQuestions, options?: CallOptions): Promise<Output<typeof AccessAnswers>>
  /** The URLs of the AuthZEN endpoints. */
  getAuthzenConfiguration(options?: CallOptions): Promise<Output<typeof AccessAddresses>>

  /** Decisions, newest first; as `csv` or `ndjson` all of them, oldest first. */
  listDecisions(query?: As<Json, Query<typeof Filter>>, options?: CallOptions): Pages<Decision>
  listDecisions(query: As<{ format: 'csv' }, Query<typeof Filter>>, options?: CallOptions): AsyncIterable<string>
  listDecisions(query: As<Ndjson, Query<typeof Filter>>, options?: CallOptions): AsyncIterable<LogEntry>
  /** Decisions and changes together, newest first; as `csv` or `ndjson` all of them, oldest first. */
  getTimeline(query?: As<Json, Query<typeof TimelineFilter>>, options?: CallOptions): Pages<LogEntry>
  getTimeline(query: As<{ format: 'csv' }, Query<typeof TimelineFilter>>, options?: CallOptions): AsyncIterable<string>
  getTimeline(query: As<Ndjson, Query<typeof TimelineFilter>>, options?: CallOptions): AsyncIterable<LogEntry>
  /** Explains a past request: its decisions, with the considered rows. */
  explainRequest(requestId: string, options?: CallOptions): Promise<Output<typeof ExplainedRequest>>
  /** How far the log is proved: its chains and checkpoints, and the entries since. */
  getProof(options?: CallOptions): Promise<Output<typeof ProofView>>
  /** Verifies the log: yields its progress, and the verdict at the end. It stops with the signal. */
  verifyLog(options?: CallOptions): AsyncIterable<VerificationProgress | Verdict>
  /** The log of a period as one signed file; write its parts as they come. */
  exportEvidence(query?: Query<typeof EvidenceQuery>, options?: CallOptions): AsyncIterable<string>

  /** The rows in force and their revision, or those of an earlier one. Pass it as `ifMatch` to an edit. */
  getPolicy(query?: As<Json, Query<typeof policy.Shown>>, options?: CallOptions): Promise<Policy>
  getPolicy(query: As<{ format: 'csv' }, Query<typeof policy.Shown>>, options?: CallOptions): Promise<string>
  /** The revision in force, yielded at once and whenever a new one comes into force. */
  watchPolicy(query?: Query<typeof LiveQuery>, options?: CallOptions): AsyncIterable<{ revision: number }>
  /** `model.conf`. */
  getPolicyModel(options?: CallOptions): Promise<string>
  /** Every decision that the rows can make, or those of one role or action. */
  getPolicyTable(
    query?: As<Json, Query<typeof policy.ShownTable>>,
    options?: CallOptions,
  ): Promise<Output<typeof policy.TableView>>
  getPolicyTable(query: As<{ format: 'csv' }, Query<typeof policy.ShownTable>>, options?: CallOptions): Promise<string>
  /** The rows and decisions that differ between two revisions. */
  comparePolicyRevisions(
    query: Query<typeof policy.Comparison>,
    options?: CallOptions,
  ): Promise<Output<typeof policy.ComparisonView>>
  /** Explains a decision, for a role, or for a user and a link. */
  explainDecision(query: Query<typeof PolicyQuestion>, options?: CallOptions): Promise<Output<typeof ExplanationView>>
  /** What an edit would change, what it would have changed, and what is wrong with it. Changes nothing. */
  previewPolicyChange(
    changes: Input<typeof policy.ProposedRows>,
    options?: CallOptions & { readonly query?: Query<typeof PreviewQuery> },
  ): Promise<PolicyPreview>
  /**
   * Adds and removes rows, under `ifMatch`, and returns every decision that changes. `query` may ask for a dry run. If
   * the response has a `proposal`, nothing is changed yet: somebody else has to approve it.
   */
  changePolicy(changes: Input<typeof policy.PolicyChanges>, options: EditOptions): Promise<PolicyEdit>
  /** Who changed the rows, when and why; newest first. */
  listPolicyRevisions(query?: Query<typeof policy.RevisionQuery>, options?: CallOptions): Pages<PolicyRevision>
  /** One revision, with the decisions that it changed. */
  getPolicyRevision(revision: number, options?: CallOptions): Promise<Output<typeof policy.ShownRevision>>
  /** Restores the rows of a revision as a new one. */
  restorePolicyRevision(
    revision: number,
    why?: Input<typeof policy.Restoration>,
    options?: EditOptions,
  ): Promise<PolicyEdit>
  /** Proposed edits (`POLICY_APPROVALS`), open and closed ones, newest first. */
  listPolicyProposals(query?: Query<typeof ProposalQuery>, options?: CallOptions): Pages<PolicyProposal>
  /** One proposal, and what it would change now. */
  getPolicyProposal(id: string, options?: CallOptions): Promise<Output<typeof ShownProposal>>
  /** Approves somebody else's proposal, which puts it in force. */
  approvePolicyProposal(id: string, why?: Input<typeof Approval>, options?: ChangeOptions): Promise<PolicyEdit>
  /** Declines somebody else's proposal. */
  declinePolicyProposal(id: string, why: Input<typeof Declining>, options?: CallOptions): Promise<PolicyProposal>
  /** Withdraws your own proposal. */
  withdrawPolicyProposal(id: string, options?: CallOptions): Promise<void>
}

export interface Client extends Operations {
  /** Signs in, and renews the access token before it expires, once for all waiting calls. */
  signIn(
    account: { email: string; password: string; scope?: string | undefined },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<Tokens>
  /** Ends the sign-in here and at the service; does nothing without one. */
  signOut(options?: Pick<CallOptions, 'signal'>): Promise<void>
  /**
   * The headers of the response that this object came from, such as `Policy-Revision`; undefined for any other object.
   */
  headersOf(answer: object): Headers | undefined
}

/** The code of a refusal, one of the client's own if no refusal came, or a code of a newer service. */
export type ProblemCode = RefusalCode | 'network_error' | 'unexpected_answer' | (string & {})
